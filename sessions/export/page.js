(() => {
	'use strict';
	const query = document.getElementById('query'), hits = document.getElementById('hits'), list = document.getElementById('list');
	const parts = [...document.querySelectorAll('.part')], sections = [...document.querySelectorAll('main section')];
	const links = new Map([...document.querySelectorAll('nav a')].map(a => [a.hash.slice(1), a.parentElement]));
	const mostOpened = 50; // parts whose folds are opened and whose words are marked
	let texts, timer;

	// mark opens the folds of a part that have the word, and returns where it is.
	const mark = (part, word) => {
		const ranges = [];
		for (const fold of part.querySelectorAll('details')) {
			if (fold.textContent.toLowerCase().includes(word)) fold.open = true;
		}
		const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
		for (let node; (node = walk.nextNode());) {
			const text = node.data.toLowerCase();
			if (text.length !== node.length) continue; // positions differ
			for (let i = text.indexOf(word); i >= 0 && ranges.length < 200; i = text.indexOf(word, i + word.length)) {
				const range = new Range();
				range.setStart(node, i);
				range.setEnd(node, i + word.length);
				ranges.push(range);
			}
		}
		return ranges;
	};

	const search = () => {
		const word = query.value.trim().toLowerCase();
		texts ??= parts.map(p => p.textContent.toLowerCase());
		const found = parts.filter((p, i) => {
			p.hidden = !texts[i].includes(word);
			return !p.hidden;
		});
		const shown = new Set(found.map(p => p.parentElement));
		for (const s of sections) {
			s.hidden = !shown.has(s);
			const link = links.get(s.id);
			if (link) link.hidden = s.hidden;
		}
		hits.textContent = word && `${found.length} of ${parts.length}`;
		const ranges = word ? found.slice(0, mostOpened).flatMap(p => mark(p, word)) : [];
		if (window.CSS && CSS.highlights) CSS.highlights.set('hits', new Highlight(...ranges));
	};

	document.getElementById('search').hidden = false;
	query.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(search, 150);
	});
	document.addEventListener('keydown', e => {
		if (e.key === '/' && e.target !== query && !e.ctrlKey && !e.metaKey && !e.altKey) {
			e.preventDefault();
			query.focus();
		}
	});
	document.querySelector('nav').addEventListener('click', e => {
		if (e.target.closest('a')) list.checked = false;
	});
})();

package offline

import (
	"iter"
	"strconv"
	"strings"
)

func think(f found) step {
	about := f["REST"]
	if about == "" {
		about = "this"
	}
	return step{
		thought: "Let me think about " + about + ". I am a small program, so I look at it from one side only: what can be done with the tools at hand?",
		said:    words("I have thought about " + about + "."),
	}
}

func write(f found) step {
	text := f["REST"] + f["TEXT"]
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return one(action{job: writes, path: f["PATH"], text: text})
}

func appendTo(f found) step {
	return one(action{job: runs, command: "printf '%s\\n' " + shellWord(f["TEXT"]) + " >> " + shellWord(f["PATH"])})
}

func replace(f found) step {
	return one(action{job: edits, path: f["PATH"], old: f["TEXT"], new: f["NEW"]})
}

func list(f found) step { return one(action{job: lists, path: f["DIR"]}) }

func findFiles(f found) step {
	return one(action{job: finds, pattern: f["TEXT"] + f["GLOB"], path: f["DIR"]})
}

func search(f found) step {
	return one(action{job: greps, pattern: f["TEXT"] + f["QUOTED"] + f["REST"], path: f["PATH"]})
}

func run(f found) step { return one(action{job: runs, command: f["REST"]}) }

func deleteTemp(f found) step {
	dir := ""
	if f["DIR"] != "" {
		dir = shellWord(strings.TrimSuffix(f["DIR"], "/")) + "/"
	}
	return one(action{job: runs, command: "rm -f -- " + dir + "*.tmp " + dir + "*.temp " + dir + "temp/* " + dir + "tmp/*"})
}

func remove(f found) step {
	command := "rm --"
	for _, p := range f.paths() {
		command += " " + shellWord(p)
	}
	return one(action{job: runs, command: command})
}

func read(f found) step {
	var s step
	for _, p := range f.paths() {
		s.actions = append(s.actions, action{job: reads, path: p})
	}
	return s
}

func one(a action) step { return step{actions: []action{a}} }

// again says text n times.
func again(text string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if i < n-1 && !yield(text+" ") || i == n-1 && !yield(text) {
				return
			}
		}
	}
}

// count says the numbers up to n.
func count(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 1; i <= n; i++ {
			s := strconv.Itoa(i)
			if i < n {
				s += " "
			}
			if !yield(s) {
				return
			}
		}
	}
}

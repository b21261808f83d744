package risk

import (
	"strings"
	"sync"

	"github.com/dualagent/agent/core"
)

// A command is what is known about a program or shell builtin.
type command struct {
	risk core.Risk
	// options, if they are set, are all that it may be given; without them check looks at each word.
	options *options
	// check, if it is set, says what the command does with these arguments.
	check func(l *look, w words) core.Risk
	// anyWords: arguments that are not known in advance cannot make it do anything else.
	anyWords bool
	// noPaths: no argument is a path, or check looks at those that are.
	noPaths bool
}

// commands lists what is known. It is put together when it is first needed.
var commands = sync.OnceValue(func() map[string]command {
	return table(reading, looking, shellWords, special, writing, network)
})

// reading lists programs that show files and do nothing else, with their options. Left out are those that follow links to
// anywhere, read lists of files, write, or run programs.
var reading = []row{
	takes("ls", "aAbBcCdfFgGhiklmnNopqQrRsStuUvw:xX1ZT:I:", "all almost-all human-readable recursive reverse size inode color? sort= "+
		"time= time-style= full-time group-directories-first classify? numeric-uid-gid ignore= hide= directory si no-group"),
	takes("cat", "AbeEnstTuv", "number number-nonblank show-all show-ends show-tabs squeeze-blank"),
	takes("head tail", "n:c:qvzfF0123456789", "lines= bytes= quiet silent verbose"),
	takes("wc", "clmwL", "bytes chars lines words max-line-length"),
	takes("nl", "b:d:f:h:i:l:n:ps:v:w:", "body-numbering= number-width= number-separator="),
	takes("tac", "bs:r", ""),
	takes("rev", "", ""),
	takes("cut", "b:c:d:f:nsz", "bytes= characters= fields= delimiter= complement only-delimited output-delimiter="),
	takes("fold", "bsw:", "bytes spaces width="),
	takes("expand unexpand", "ait:", "tabs= initial"),
	takes("column", "ts:o:xc:", "table separator= output-separator="),
	takes("paste", "sd:z", "serial delimiters="),
	takes("join", "a:e:i1:2:j:o:t:v:", ""),
	takes("comm", "123z", "check-order nocheck-order total output-delimiter="),
	takes("cmp", "bln:s", "bytes= print-bytes verbose quiet silent"),
	takes("stat", "c:ft", "format= printf= terse file-system"),
	takes("du", "abcd:hkmsSxB:t:0", "all apparent-size bytes block-size= max-depth= human-readable summarize total exclude= time? one-file-system si"),
	takes("df", "ahHiklPTt:x:", "human-readable all inodes type= print-type"),
	takes("realpath", "emqszLP", "canonicalize-existing canonicalize-missing relative-to= relative-base= no-symlinks strip"),
	takes("readlink", "femnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline"),
	takes("md5sum sha1sum sha256sum sha512sum b2sum", "btz", "binary text tag"),
	takes("cksum", "", ""), takes("sum", "rs", ""),
	takes("hexdump", "bcCdovn:s:x", ""), takes("od", "A:bcdN:j:t:vx", "address-radix= read-bytes= skip-bytes= format="),
	takes("file", "bhiN0", "brief mime mime-type mime-encoding no-dereference"),
	takes("tree", "adfL:P:I:ispuhDgQJXNCtrUvF", "noreport dirsfirst gitignore filelimit= matchdirs prune du si"),
	takes("sort", "bdfghiMnRrVCcmk:t:usz", "reverse numeric-sort unique key= field-separator= ignore-case version-sort check? stable "+
		"human-numeric-sort general-numeric-sort month-sort random-sort zero-terminated ignore-leading-blanks dictionary-order parallel="),
	takes("uniq", "cdDiuzf:s:w:", "count repeated unique ignore-case skip-fields= skip-chars= check-chars= zero-terminated").
		with((*look).onlyInput),
	takes("strings", "an:t:e:", "all bytes= radix= encoding=").with((*look).stringsFiles),
	takes("diff", "uU:cC:qsbwBiyaEZtdpnNW:", "unified? context? brief side-by-side ignore-all-space ignore-space-change ignore-blank-lines "+
		"ignore-case width= color? label= minimal report-identical-files text new-file").with((*look).diff),
	takes("jq", "rcsneSMCaj", "raw-output compact-output slurp null-input exit-status sort-keys monochrome-output color-output ascii-output "+
		"join-output raw-input tab seq stream").with((*look).jq),
	takes("grep egrep fgrep", "abcEe:f:FGPhHiIlLm:noqrsTuUvVwxyzZA:B:C:D:0123456789", "include= exclude= exclude-dir= exclude-from= color? colour? "+
		"line-number ignore-case files-with-matches files-without-match recursive no-messages count invert-match word-regexp line-regexp "+
		"extended-regexp fixed-strings basic-regexp perl-regexp regexp= file= max-count= context= after-context= before-context= "+
		"only-matching quiet silent with-filename no-filename text null binary-files= line-buffered").searching(),
	takes("rg", "cFhHiIlnNoqsSuUvVwx0PpA:B:C:e:f:g:m:t:T:j:M:r:d:", "hidden no-ignore no-ignore-vcs glob= iglob= type= type-not= files "+
		"files-with-matches files-without-match count count-matches context= after-context= before-context= max-count= fixed-strings ignore-case "+
		"smart-case case-sensitive line-number no-line-number heading no-heading with-filename no-filename multiline multiline-dotall "+
		"only-matching word-regexp line-regexp json sort= sortr= color= max-depth= max-columns= stats regexp= file= replace= vimgrep trim pcre2 "+
		"invert-match type-list quiet passthru null text column").searching(),
}

// looking lists programs that take no paths.
var looking = []row{
	pathless("tr", "cCdst", "complement delete squeeze-repeats truncate-set1"), pathless("basename", "as:z", "multiple suffix= zero"),
	pathless("dirname", "z", "zero"), pathless("which", "a", ""), pathless("type", "aftpP", ""),
	pathless("uname", "asnrvmpio", "all"), pathless("whoami", "", ""), pathless("id", "ugGnrz", "user group groups name"), pathless("groups", "", ""),
	pathless("nproc", "", "all ignore="), pathless("uptime", "ps", "pretty since"), pathless("free", "bkmghwt", "human mega giga total"),
	pathless("arch", "", ""), pathless("tty", "s", ""), pathless("locale", "am", ""), pathless("printenv", "0", "null"),
}

// shellWords lists builtins that may be given any words.
var shellWords = []row{
	{command{risk: core.RiskRead, noPaths: true, anyWords: true}, "echo : true false sleep pwd exit break continue"},
	{command{risk: core.RiskRead, noPaths: true, anyWords: true, check: readIf(plainPrintf)}, "printf"},
}

// special lists those about which there is more to say.
var special = []row{
	{command{risk: core.RiskRead, check: readIf(plainTest)}, "test ["},
	{command{risk: core.RiskRead, noPaths: true, check: readIf(noArgs)}, "env hostname wait"},
	{command{risk: core.RiskRead, noPaths: true, check: readIf(plainDate)}, "date"},
	{command{risk: core.RiskRead, noPaths: true, check: readIf(plainSet)}, "set"},
	{command{risk: core.RiskRead, noPaths: true, check: readIf(plainPs)}, "ps"},
	{command{risk: core.RiskRead, noPaths: true, check: readIf(looksUp)}, "command"},
	{command{risk: core.RiskRead, noPaths: true, check: (*look).cd}, "cd"},
	{command{risk: core.RiskRead, check: readIf(plainXxd)}, "xxd"},
	{command{risk: core.RiskRead, check: readIf(plainFind)}, "find"},
	{command{noPaths: true, check: (*look).sed}, "sed"},
	{command{noPaths: true, check: (*look).awk}, "awk gawk mawk"},
	{command{check: (*look).git}, "git"},
	{command{check: (*look).golang}, "go"},
	{command{check: (*look).gofmt}, "gofmt"},
}

// writing lists programs that write what their arguments name.
var writing = []row{
	writes("mkdir", "pvm:", "parents verbose mode="), writes("touch", "acmd:r:t:", "no-create date= reference="), writes("tee", "ai", "append"),
	writes("ln", "sfnvrT", "symbolic force verbose relative").with((*look).link),
	writes("mv", "finuvT", "force no-clobber verbose update").with((*look).move),
	writes("cp", "afinprRuvTdP", "archive recursive force no-clobber verbose update preserve? no-dereference").with((*look).copyFiles),
}

var network = []row{
	{command{risk: core.RiskNetwork, anyWords: true}, "curl wget ssh scp sftp rsync nc ncat netcat telnet ftp ping dig " +
		"nslookup host whois apt apt-get dnf yum apk brew pip pip3 uv npm pnpm yarn gem gh"},
}

type row struct {
	command
	names string
}

func takes(names, short, long string) row {
	return row{command{risk: core.RiskRead, options: &options{short, long}}, names}
}

// pathless is a row of a program whose words are no paths.
func pathless(names, short, long string) row {
	r := takes(names, short, long)
	r.noPaths = true
	return r
}

func writes(names, short, long string) row {
	r := takes(names, short, long)
	r.risk = core.RiskWrite
	return r
}

func (r row) with(check func(*look, words) core.Risk) row {
	r.check = check
	return r
}

// searching is for programs whose first word is a pattern.
func (r row) searching() row {
	r.noPaths, r.check = true, (*look).search
	return r
}

func table(groups ...[]row) map[string]command {
	t := map[string]command{}
	for _, rows := range groups {
		for _, r := range rows {
			for name := range strings.FieldsSeq(r.names) {
				t[name] = r.command
			}
		}
	}
	return t
}

// readIf returns a check: read if ok says so, else destructive.
func readIf(ok func([]arg) bool) func(*look, words) core.Risk {
	return func(_ *look, w words) core.Risk {
		if ok(w.all) {
			return core.RiskRead
		}
		return core.RiskDestructive
	}
}

package redact

import (
	"strings"
	"testing"
)

var secrets = []string{
	"sk-abcdefghijklmnopqrst",
	"sk-proj-" + strings.Repeat("aB3_-", 30),
	"ghp_" + strings.Repeat("a1", 18),
	"gho_" + strings.Repeat("a1", 18),
	"github_pat_" + strings.Repeat("a1", 18),
	"xoxb-1234567890-abcdef",
	"AKIAIOSFODNN7EXAMPLE",
	"AIza" + strings.Repeat("x", 35),
	"glpat-" + strings.Repeat("x", 20),
	"Bearer abcdefgh.ijk~lm+n/o==",
	"Basic dXNlcjpwYXNzd29yZA==",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fw-pMeJ_36",
	"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + strings.Repeat("MIIEpAIBAAKCAQEA+/\n", 100) + "AA==\n-----END RSA PRIVATE KEY-----",
	"-----BEGIN PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA\\n-----END PRIVATE KEY-----",
	"correct horse battery staple",
	"second line of a key",
}

func newRedactor() *Redactor {
	return New("correct horse battery staple", "first line of a key\r\nsecond line of a key\n", "short", "")
}

func TestText(t *testing.T) {
	r := newRedactor()
	for _, s := range secrets {
		for _, around := range []string{"%", "a % b", "key=%\n", `"%"`, "x:%,%;"} {
			in := strings.ReplaceAll(around, "%", s)
			if got, want := r.Text(in), strings.ReplaceAll(around, "%", Mark); got != want {
				t.Errorf("%q became %q, want %q", in, got, want)
			}
		}
	}
	for _, s := range []string{"", "sk-short", "task-abcdefghijklmnopqrstuvwx", "Bearer of", "AKIA", "this is short", "xox", "sk- abcdefghijklmnopqrstuvwxyz",
		"Basic internationalization", "Basic auth", "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb", "https://example.org:8080/a@b", "git@host:a", "ssh://git@host/x", "https://user:@host",
		"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", "-----BEGIN of the PRIVATE KEY-----", "-----BEGIN "} {
		if got := r.Text(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
}

func TestStreamHoldsBackLittle(t *testing.T) {
	for in, want := range map[string]string{
		"hi":                 "hi",
		"Password: ":         "Password: ",
		"key sk-abc":         "key ",
		"key s":              "key ",
		"a correct horse, q": "a correct horse, q",
		"a correct hor":      "a ",
		"sk-done, next":      "sk-done, next",
	} {
		s := newRedactor().Stream()
		if got := s.Next(in); got != want {
			t.Errorf("of %q %q is shown, want %q", in, got, want)
		}
		if got := s.Flush(); want+got != in {
			t.Errorf("%q: %q was held back", in, got)
		}
	}
	s := newRedactor().Stream()
	for range 100 {
		s.Next("sk-" + strings.Repeat("x", 1000))
	}
	if len(s.held) > 2*maxHeld {
		t.Errorf("%d bytes are held back", len(s.held))
	}
}

// FuzzStream: no secret gets through, however the text is cut into pieces, and nothing else is lost.
func FuzzStream(f *testing.F) {
	for i := range secrets {
		f.Add("before", "after", uint8(i), uint8(i))
		f.Add("before", "after", uint8(i), uint8(0))
	}
	r := newRedactor()
	f.Fuzz(func(t *testing.T, before, after string, which, size uint8) {
		secret := secrets[int(which)%len(secrets)]
		text := before + "\n" + secret + "\n" + after
		s := r.Stream()
		var out strings.Builder
		for rest := text; rest != ""; {
			n := min(int(size)+1, len(rest))
			out.WriteString(s.Next(rest[:n]))
			rest = rest[n:]
		}
		out.WriteString(s.Flush())
		if len(before) > maxHeld || len(after) > maxHeld {
			return
		}
		if strings.Contains(out.String(), secret) {
			t.Fatalf("%q in pieces of %d became %q", text, int(size)+1, out.String())
		}
		if r.Text(text) == before+"\n"+Mark+"\n"+after && out.String() != r.Text(text) {
			t.Fatalf("%q in pieces of %d became %q, as a whole %q", text, int(size)+1, out.String(), r.Text(text))
		}
	})
}

// TestPartOfText: what says where a secret belongs to is kept.
func TestPartOfText(t *testing.T) {
	r := newRedactor()
	for in, want := range map[string]string{
		"postgres://user:p%40ss@db:5432/x":               "postgres://" + Mark + "@db:5432/x",
		"authorization: Basic YTpi\n":                    "authorization: Basic " + Mark + "\n",
		"-----BEGIN PRIVATE KEY-----\nMIIEpA\n(cut off)": Mark + "(cut off)",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		s := r.Stream()
		var out strings.Builder
		for i := range len(in) {
			out.WriteString(s.Next(in[i : i+1]))
		}
		if got := out.String() + s.Flush(); got != want {
			t.Errorf("%q, byte by byte, became %q, want %q", in, got, want)
		}
	}
}

func TestLines(t *testing.T) {
	var l Lines
	for _, c := range []struct {
		line string
		want bool
	}{
		{"before", false}, {"-----BEGIN CERTIFICATE-----", false}, {"MIIE", false}, {"-----END CERTIFICATE-----", false},
		{"key: -----BEGIN EC PRIVATE KEY-----", false}, {"MHcCAQEE+/", true}, {"", true}, {"AA==", true}, {"-----END EC PRIVATE KEY-----", true}, {"after", false},
		{"-----BEGIN PRIVATE KEY-----", false}, {"MIIE", true}, {"no key (any more).", false}, {"MIIE", false},
		{"-----BEGIN PRIVATE KEY-----\\nAA==\\n-----END PRIVATE KEY-----", false}, {"after", false},
	} {
		if got := l.Secret(c.line); got != c.want {
			t.Errorf("%q: got %t", c.line, got)
		}
	}
}

package kit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// A Result is what came of one transcript.
type Result struct {
	Transcript *Transcript
	Err        error         // nil: the server did as the transcript says
	Known      string        // why the target is known to fail, or ""
	Took       time.Duration // real time
}

// Check plays one transcript and compares the outcome with what is known of the target.
func Check(tr *Transcript, target Target, opt Options) Result {
	start := time.Now()
	err := Play(tr, target, opt)
	return Result{Transcript: tr, Err: err, Known: target.known(tr), Took: time.Since(start)}
}

// Unexpected reports whether the transcript failed without being known to, or passed in spite of it.
func (r Result) Unexpected() bool { return (r.Err != nil) != (r.Known != "") }

func (r Result) verdict() string {
	switch {
	case r.Err == nil && r.Known == "":
		return "ok"
	case r.Err == nil:
		return "UNEXPECTED PASS"
	case r.Known != "":
		return "known"
	default:
		return "FAIL"
	}
}

func (r Result) name() string { return string(r.Transcript.Protocol) + "/" + r.Transcript.Name }

// String returns one line, or several with the failure.
func (r Result) String() string {
	s := fmt.Sprintf("%-15s %s (%v)", r.verdict(), r.name(), r.Took.Round(time.Millisecond))
	switch {
	case r.Known != "" && r.Err == nil:
		s += "\n  was known to fail: " + r.Known
	case r.Known != "":
		s += ": " + r.Known
	case r.Err != nil:
		s += "\n" + r.Err.Error()
	}
	return s
}

// WriteTable writes how many transcripts of each point of each protocol passed.
func WriteTable(w io.Writer, results []Result) error {
	type count struct{ passed, known, total int }
	counts := map[string]*count{}
	var order []string
	for _, r := range results {
		point := string(r.Transcript.Protocol) + "\t" + r.Transcript.Point()
		c := counts[point]
		if c == nil {
			c = &count{}
			counts[point] = c
			order = append(order, point)
		}
		c.total++
		switch {
		case r.Err == nil:
			c.passed++
		case r.Known != "":
			c.known++
		}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "protocol\tpoint\tpassed\tknown\tfailed")
	for _, point := range order {
		c := counts[point]
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\n", point, c.passed, c.known, c.total-c.passed-c.known)
	}
	return tw.Flush()
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the results as JUnit XML. Known failures count as skipped, an unexpected pass as a failure.
func WriteJUnit(w io.Writer, target string, results []Result) error {
	suite := junitSuite{Name: "conformance of " + target, Tests: len(results)}
	var total time.Duration
	for _, r := range results {
		total += r.Took
		c := junitCase{
			Class: string(r.Transcript.Protocol) + "." + strings.ReplaceAll(r.Transcript.Point(), "/", "."),
			Name:  r.name(),
			Time:  seconds(r.Took),
		}
		switch {
		case r.Unexpected() && r.Err == nil:
			c.Failure = &junitMessage{Message: "unexpected pass", Text: "was known to fail: " + r.Known}
			suite.Failures++
		case r.Unexpected():
			text := printable(r.Err.Error())
			first, _, _ := strings.Cut(text, "\n")
			c.Failure = &junitMessage{Message: first, Text: text}
			suite.Failures++
		case r.Known != "":
			c.Skipped = &junitMessage{Message: r.Known}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// printable drops what XML cannot carry.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

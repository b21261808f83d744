package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A base is what a figure is put beside.
type base struct {
	name     string
	value    float64
	recorded bool // measured at another time, as peers are
}

// own says that a budget limits the figure itself.
var own = base{value: math.NaN()}

// A check is one line of the report: a figure, what stands beside it, and the limit of one to the other. A limit of 0 is no
// budget: the line is for information.
type check struct {
	budget  int
	measure string
	wire    string
	figure  float64
	unit    unit
	beside  base
	limit   float64 // of the ratio, or of the figure if nothing stands beside it
	atLeast bool    // the limit is a lower one
}

// ratio returns the figure as a multiple of its base; NaN if it has none.
func (c check) ratio() float64 {
	if c.beside.value == 0 {
		return math.NaN()
	}
	return c.figure / c.beside.value
}

// limited returns what the limit is for, and its unit.
func (c check) limited() (float64, unit) {
	if c.beside == own || c.beside.name == "" {
		return c.figure, c.unit
	}
	return c.ratio(), times
}

func (c check) verdict() string {
	v, _ := c.limited()
	switch {
	case c.limit == 0:
		return ""
	case math.IsNaN(v):
		return "no figure"
	case c.atLeast && v >= c.limit, !c.atLeast && v <= c.limit:
		return "met"
	default:
		return "MISSED"
	}
}

// cells are the columns of the line.
func (c check) cells() []string {
	beside, ratio, limit := "", "", ""
	if c.beside.name != "" {
		beside = c.unit.format(c.beside.value) + " " + c.beside.name
		if c.beside.recorded {
			beside += ", recorded elsewhere"
		}
		ratio = times.format(c.ratio())
	}
	if c.limit != 0 {
		_, u := c.limited()
		sign := "≤ "
		if c.atLeast {
			sign = "≥ "
		}
		limit = sign + u.format(c.limit)
	}
	return []string{fmt.Sprint(c.budget), c.measure, c.wire, c.unit.format(c.figure), beside, ratio, limit, c.verdict()}
}

var columns = []string{"#", "measure", "wire", "figure", "beside", "ratio", "budget", ""}

const legend = `
#       number of the budget
figure  median of several runs; p50 and p99 are taken within a run
beside  a floor, which a bare program reached in this run, or another agent's figure, which was recorded elsewhere: on
        another machine such lines say little
ratio   figure / beside. Other load on the machine moves figures and floors alike, so the ratio counts; lines without a
        floor suffer from it
budget  limit of the ratio, or of the figure if nothing stands beside it; lines without one are for information
`

// printReport writes the checks by budget, as a table that is aligned by characters, and a last line with how many budgets are missed.
func printReport(w io.Writer, checks []check) {
	checks = slices.Clone(checks)
	slices.SortStableFunc(checks, func(a, b check) int { return a.budget - b.budget })
	rows := [][]string{columns}
	missed, judged := 0, 0
	for _, c := range checks {
		rows = append(rows, c.cells())
		switch c.verdict() {
		case "":
		case "met":
			judged++
		default:
			judged++
			missed++
		}
	}
	table(w, rows)
	fmt.Fprint(w, legend)
	fmt.Fprintf(w, "\n%d of %d budgets missed\n", missed, judged)
}

func table(w io.Writer, rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-len([]rune(cell))+2))
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

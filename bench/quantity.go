package main

import (
	"fmt"
	"math"
)

// A unit says what a number counts, and thereby how it is printed.
type unit int

const (
	count unit = iota
	seconds
	bytesOf
	perSec
	times // a ratio
)

const (
	mib         = 1 << 20
	microsecond = 1e-6
	millisecond = 1e-3
)

// format prints v with three digits or so. A figure that was not measured is "–".
func (u unit) format(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	switch u {
	case seconds:
		return scaled(v, []scale{{1, "s"}, {millisecond, "ms"}, {microsecond, "µs"}, {1e-9, "ns"}})
	case bytesOf:
		return scaled(v, []scale{{mib, "MiB"}, {1 << 10, "KiB"}, {1, "B"}})
	case perSec:
		return scaled(v, []scale{{1e6, "M/s"}, {1e3, "k/s"}, {1, "/s"}})
	case times:
		return digits(v) + " ×"
	default:
		return digits(v)
	}
}

// A scale is a unit by its size.
type scale struct {
	size float64
	name string
}

// scaled prints v in the largest scale of which it has at least one, else in the smallest.
func scaled(v float64, scales []scale) string {
	use := scales[len(scales)-1]
	for _, s := range scales {
		if math.Abs(v) >= s.size {
			use = s
			break
		}
	}
	return digits(v/use.size) + " " + use.name
}

func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || a == math.Trunc(a):
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}

package command

import (
	"slices"
	"testing"
)

func TestEldestFirst(t *testing.T) {
	got := eldestFirst(map[int]uint64{7: 20, 9: 10, 3: 20, 8: 30})
	if want := []int{9, 3, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

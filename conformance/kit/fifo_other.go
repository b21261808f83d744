//go:build !unix

package kit

import (
	"errors"
	"os"
)

func makeFIFO(string) error {
	return errors.New("transcripts with gates need FIFOs, which this system lacks")
}

func openFIFO(string) (*os.File, error) { return nil, os.ErrInvalid }

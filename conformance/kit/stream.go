package kit

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

// A stream collects the lines of a server's output, however many, so that the server never waits for us.
type stream struct {
	mu    sync.Mutex // guards the rest
	lines [][]byte
	err   error         // io.EOF or what was wrong with the last line; set when there will be no more
	news  chan struct{} // has an element after each change
}

// readStream reads r to its end, in a goroutine that ends with r.
func readStream(r io.Reader) *stream {
	s := &stream{news: make(chan struct{}, 1)}
	go s.read(bufio.NewReaderSize(r, 64<<10))
	return s
}

func (s *stream) read(r *bufio.Reader) {
	for {
		line, err := r.ReadBytes('\n')
		s.mu.Lock()
		switch {
		case err == nil:
			s.lines = append(s.lines, line[:len(line)-1])
		case len(line) > 0:
			s.err = errors.New("the last line of output does not end with LF: " + shorten(string(line)))
		default:
			s.err = io.EOF
		}
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// next returns the next line. At the end of output it returns io.EOF.
func (s *stream) next(ctx context.Context) ([]byte, error) {
	for {
		s.mu.Lock()
		if len(s.lines) > 0 {
			line := s.lines[0]
			s.lines = slices.Delete(s.lines, 0, 1)
			s.mu.Unlock()
			return line, nil
		}
		err := s.err
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-s.news:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

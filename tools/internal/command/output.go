package command

import (
	"time"

	"github.com/dualagent/agent/tools/internal/redact"
	"github.com/dualagent/agent/tools/internal/text"
)

// progressEvery is the least time between two reports of progress.
const progressEvery = 100 * time.Millisecond

// An output takes what a command writes, makes it fit to be shown and hands it round. Its memory is constant.
type output struct {
	cleaner  text.Cleaner
	redact   *redact.Stream
	tail     text.Tail
	file     spill
	piece    func(string)
	progress func(string)

	buf    []byte
	timer  *time.Timer // runs while no report may be made
	unsaid bool        // there is output that was not reported
}

func (r *Runner) newOutput(q Request) *output {
	return &output{
		redact:   r.Redactor.Stream(),
		file:     spill{spool: r.Spool},
		piece:    q.Output,
		progress: q.Progress,
	}
}

func (o *output) write(b []byte) {
	o.buf = o.cleaner.Append(o.buf[:0], b)
	o.emit(o.redact.Next(string(o.buf)))
}

// close takes what was held back, and ends reports.
func (o *output) close() {
	o.buf = o.cleaner.Flush(o.buf[:0])
	o.emit(o.redact.Next(string(o.buf)) + o.redact.Flush())
	if o.timer != nil {
		o.timer.Stop()
	}
	o.file.close()
}

func (o *output) emit(s string) {
	if s == "" {
		return
	}
	before, whole := o.tail.Whole()
	o.buf = append(o.buf[:0], s...)
	if o.file.begun() {
		o.file.write(o.buf)
	}
	var head []byte
	if whole {
		head = before
	}
	o.tail.Write(o.buf)
	if _, still := o.tail.Whole(); whole && !still {
		o.file.write(head)
		o.file.write(o.buf)
	}
	if o.piece != nil {
		o.piece(s)
	}
	if o.progress != nil {
		o.unsaid = true
		if o.timer == nil {
			o.timer = time.NewTimer(progressEvery)
			o.say()
		}
	}
}

// due fires when a report can be made.
func (o *output) due() <-chan time.Time {
	if o.timer == nil {
		return nil
	}
	return o.timer.C
}

// report is to be called when due has fired.
func (o *output) report() {
	if !o.unsaid {
		o.timer = nil // the next output is reported at once
		return
	}
	o.timer.Reset(progressEvery)
	o.say()
}

func (o *output) say() {
	o.unsaid = false
	o.progress(o.tail.Cut().Text)
}

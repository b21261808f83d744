package main

import "golang.org/x/sys/unix"

func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// hide keeps other processes of the same user, tools among them, from the environment (it may hold keys), the memory and the
// open files of this one.
func hide() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

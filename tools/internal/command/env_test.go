package command

import (
	"slices"
	"testing"
)

func TestEnvironment(t *testing.T) {
	env := []string{"A=1", "X_TOKEN=2", "PAGER=less", "BASH_ENV=x", "BASH_FUNC_ls%%=() { rm x; }", "IFS=/", "PWD=/old", "broken", "E="}
	got := Environment(env, "/ws", LooksSecret)
	want := []string{"A=1", "E=", "PAGER=cat", "GIT_PAGER=cat", "TERM=dumb", "CI=1", "GIT_TERMINAL_PROMPT=0", "PWD=/ws"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLooksSecret(t *testing.T) {
	for name, want := range map[string]bool{
		"OPENAI_API_KEY": true, "openai_api_key": true, "GITHUB_TOKEN": true, "AWS_SECRET_ACCESS_KEY": true, "AWS_SESSION_TOKEN": true,
		"AWS_ACCESS_KEY_ID": true, "CLIENT_SECRET": true, "DB_PASSWORD": true, "PASSWORD": true, "STRIPE_KEY": true,
		"GOOGLE_APPLICATION_CREDENTIALS": true, "NPM_AUTH_TOKEN_X": true,
		"PATH": false, "HOME": false, "KEYBOARD": false, "TOKENIZERS_PARALLELISM": false, "SSH_AUTH_SOCK": false, "MONKEY": false,
		"SECRETARY": false, "LANG": false, "GOFLAGS": false,
	} {
		if got := LooksSecret(name); got != want {
			t.Errorf("LooksSecret(%s) = %t", name, got)
		}
	}
}

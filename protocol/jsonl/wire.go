package jsonl

import (
	"github.com/dualagent/agent/core"
	"github.com/dualagent/agent/internal/v3"
	"github.com/dualagent/agent/internal/wire"
)

// The types in this file are what goes over the wire: the fields of commands, the data of responses, and the bodies of records,
// which lack the member type. Nothing else here has JSON names. A field of a command with omitempty is optional. Lists that
// are sent are never null. A message is of type any: what encodable has returned.

// nothing is the fields, the data or the body of what has nothing to say.
type nothing struct{}

// Fields of commands.
type (
	promptFields struct {
		Message           string     `json:"message"`
		Images            []imageArg `json:"images,omitempty"`
		StreamingBehavior behavior   `json:"streamingBehavior,omitempty"`
	}
	messageFields struct {
		Message string     `json:"message"`
		Images  []imageArg `json:"images,omitempty"`
	}
	// imageArg is a block; only images are of use.
	imageArg struct {
		Type      blockType `json:"type"`
		Data      string    `json:"data,omitempty"`
		MimeType  string    `json:"mimeType,omitempty"`
		MimeType2 string    `json:"mime_type,omitempty"`
	}
	newSessionFields struct {
		ParentSession string `json:"parentSession,omitempty"`
	}
	sessionPathFields struct {
		SessionPath string `json:"sessionPath"`
	}
	nameFields struct {
		Name string `json:"name"`
	}
	sinceFields struct {
		Since *string `json:"since,omitempty"` // id of an entry
	}
	exportFields struct {
		OutputPath string `json:"outputPath,omitempty"` // relative to the workspace; default: beside the session's file
	}
	modelFields struct {
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	}
	levelFields struct {
		Level level `json:"level"`
	}
	modeFields struct {
		Mode queueMode `json:"mode"`
	}
	enabledFields struct {
		Enabled bool `json:"enabled"`
	}
	bashFields struct {
		Command            string `json:"command"`
		ExcludeFromContext bool   `json:"excludeFromContext,omitempty"`
	}
	// uiResponseFields answer a question. The id is that of the question.
	uiResponseFields struct {
		ID        string  `json:"id"`
		Value     *string `json:"value,omitempty"`
		Confirmed *bool   `json:"confirmed,omitempty"`
		Cancelled bool    `json:"cancelled,omitempty"`
	}
)

// Values of fields that have a few.
type (
	behavior  string
	blockType string
	level     string
	queueMode string
)

const (
	steer     behavior  = "steer"
	followUp  behavior  = "followUp"
	allAtOnce queueMode = "all"
	oneByOne  queueMode = "one-at-a-time"
	image     blockType = "image"
)

func (behavior) values() []string  { return []string{string(steer), string(followUp)} }
func (queueMode) values() []string { return []string{string(allAtOnce), string(oneByOne)} }
func (blockType) values() []string { return []string{"text", "thinking", string(image), "toolCall"} }
func (level) values() []string {
	names := make([]string, len(core.ThinkingLevels))
	for i, l := range core.ThinkingLevels {
		names[i] = string(l)
	}
	return names
}

// Data of responses.
type (
	dispositionData struct {
		Disposition string `json:"disposition"`
	}
	cancelledData struct {
		Cancelled bool `json:"cancelled"`
	}
	countData struct {
		Cancelled int `json:"cancelled"`
	}
	queueData struct {
		queueTexts
		Total int `json:"total"`
	}
	queueTexts struct {
		Steering []string `json:"steering"`
		FollowUp []string `json:"followUp"`
	}
	messagesData struct {
		Messages []any `json:"messages"`
		size     int
	}
	exportData struct {
		Path string `json:"path"` // outputPath, if there was one
	}
	textData struct {
		Text *string `json:"text"`
	}
	modelsData struct {
		Models []v3.Model `json:"models"`
	}
	cycledData struct {
		Model         v3.Model           `json:"model"`
		ThinkingLevel core.ThinkingLevel `json:"thinkingLevel"`
		IsScoped      bool               `json:"isScoped"`
	}
	thinkingData struct {
		Requested core.ThinkingLevel `json:"requested"`
		Level     core.ThinkingLevel `json:"level"`
		Clamped   bool               `json:"clamped"`
		Message   string             `json:"message"`
	}
	levelsData struct {
		Levels []core.ThinkingLevel `json:"levels"`
	}
	bashData struct {
		ExitCode       *int   `json:"exitCode"`
		Stdout         string `json:"stdout"`
		Output         string `json:"output"`
		Cancelled      bool   `json:"cancelled"`
		Truncated      bool   `json:"truncated"`
		FullOutputPath string `json:"fullOutputPath,omitempty"`
	}
	piBashData struct {
		Output         string `json:"output"`
		ExitCode       *int   `json:"exitCode,omitempty"`
		Cancelled      bool   `json:"cancelled"`
		Truncated      bool   `json:"truncated"`
		FullOutputPath string `json:"fullOutputPath,omitempty"`
	}
)

// Data of responses that tell of the session.
type (
	statsData struct {
		SessionFile *string `json:"sessionFile"`
		statsBody
	}
	piStatsData struct {
		SessionFile string `json:"sessionFile,omitempty"`
		statsBody
	}
	// statsBody counts the messages of the conversation; tokens and cost are of all requests of the session.
	statsBody struct {
		SessionID         string      `json:"sessionId"`
		UserMessages      int         `json:"userMessages"`
		AssistantMessages int         `json:"assistantMessages"`
		ToolCalls         int         `json:"toolCalls"`
		ToolResults       int         `json:"toolResults"`
		TotalMessages     int         `json:"totalMessages"`
		Tokens            tokensData  `json:"tokens"`
		Cost              float64     `json:"cost"`
		ContextUsage      contextData `json:"contextUsage"`
	}
	tokensData struct {
		Input      int `json:"input"`
		Output     int `json:"output"`
		CacheRead  int `json:"cacheRead"`
		CacheWrite int `json:"cacheWrite"`
		Total      int `json:"total"`
	}
	contextData struct {
		Tokens        int      `json:"tokens"` // estimated where the provider has not said
		ContextWindow int      `json:"contextWindow"`
		Percent       *float64 `json:"percent"` // null: the window is not known
	}
	// entriesData has the entries as they are in the file: those of other programs with their keys, numbers and order.
	entriesData struct {
		Entries []wire.Raw `json:"entries"`
		LeafID  *string    `json:"leafId"` // what the next entry continues from
		size    int
	}
	treeData struct {
		Tree   []*treeNode `json:"tree"`
		LeafID *string     `json:"leafId"` // what the next entry continues from
		size   int
	}
	activeTreeData struct {
		treeData
		ActiveLeafID *string `json:"activeLeafId"` // the same as leafId
	}
	treeNode struct {
		Entry          wire.Raw    `json:"entry"`
		Children       []*treeNode `json:"children"`
		Label          string      `json:"label,omitempty"`
		LabelTimestamp string      `json:"labelTimestamp,omitempty"`
	}
	forkData struct {
		Messages []forkMessage `json:"messages"`
		size     int
	}
	forkMessage struct {
		EntryID string `json:"entryId"`
		Text    string `json:"text"`
	}
)

// State is the data of get_state.
type (
	stateHead struct {
		Model         v3.Model           `json:"model"`
		ThinkingLevel core.ThinkingLevel `json:"thinkingLevel"`
		IsStreaming   bool               `json:"isStreaming"`
		IsCompacting  bool               `json:"isCompacting"`
		SteeringMode  queueMode          `json:"steeringMode"`
		FollowUpMode  queueMode          `json:"followUpMode"`
	}
	stateData struct {
		stateHead
		SessionFile           *string         `json:"sessionFile"`
		SessionID             string          `json:"sessionId"`
		SessionName           *string         `json:"sessionName"`
		Cwd                   string          `json:"cwd"`
		AutoCompactionEnabled bool            `json:"autoCompactionEnabled"`
		MessageCount          int             `json:"messageCount"`
		PendingMessageCount   int             `json:"pendingMessageCount"`
		TodoPhases            []nothing       `json:"todoPhases"`
		Goal                  goalState       `json:"goal"`
		RuntimeSettings       runtimeSettings `json:"runtimeSettings"`
		Version               string          `json:"version,omitempty"` // of the program
	}
	piStateData struct {
		stateHead
		SessionFile           string `json:"sessionFile,omitempty"`
		SessionID             string `json:"sessionId"`
		SessionName           string `json:"sessionName,omitempty"`
		AutoCompactionEnabled bool   `json:"autoCompactionEnabled"`
		MessageCount          int    `json:"messageCount"`
		PendingMessageCount   int    `json:"pendingMessageCount"`
		Version               string `json:"version,omitempty"` // of the program
	}
	// goalState would tell of a goal; there are none.
	goalState struct {
		Revision          int `json:"revision"`
		LifecycleRevision int `json:"lifecycleRevision"`
	}
	runtimeSettings struct {
		SteeringMode queueMode `json:"steeringMode"`
		FollowUpMode queueMode `json:"followUpMode"`
		AutoRetry    bool      `json:"autoRetry"`
	}
)

// Bodies of records.
type (
	sessionBody struct {
		Data sessionHeader `json:"data"`
	}
	sessionHeader struct {
		Version       int    `json:"version"`
		ID            string `json:"id"`
		Timestamp     string `json:"timestamp"`
		Cwd           string `json:"cwd"`
		ParentSession string `json:"parentSession,omitempty"`
	}
	messageBody struct {
		Message any `json:"message"`
	}
	toolStartBody struct {
		ToolCallID string   `json:"toolCallId"`
		ToolName   string   `json:"toolName"`
		Args       wire.Raw `json:"args"`
	}
	toolUpdateBody struct {
		ToolCallID    string        `json:"toolCallId"`
		ToolName      string        `json:"toolName"`
		Args          wire.Raw      `json:"args"`
		PartialResult v3.ToolResult `json:"partialResult"`
	}
	toolEndBody struct {
		ToolCallID string        `json:"toolCallId"`
		ToolName   string        `json:"toolName"`
		Result     v3.ToolResult `json:"result"`
		IsError    bool          `json:"isError"`
		DurationMs *int64        `json:"durationMs,omitempty"` // of calls that ran
	}
	turnEndBody struct {
		Message     any   `json:"message"`
		ToolResults []any `json:"toolResults"`
	}
	agentEndBody struct {
		Messages  []any `json:"messages"`
		WillRetry *bool `json:"willRetry,omitempty"`
	}
	retryStartBody struct {
		Attempt      int    `json:"attempt"`
		MaxAttempts  int    `json:"maxAttempts"`
		DelayMs      int64  `json:"delayMs"`
		ErrorMessage string `json:"errorMessage"`
	}
	retryEndBody struct {
		Success    bool   `json:"success"`
		Attempt    int    `json:"attempt"`
		FinalError string `json:"finalError,omitempty"`
	}
	failedBody struct {
		Message string `json:"message"`
	}
	settledBody struct {
		Aborted *bool `json:"aborted,omitempty"`
	}
	queueBody struct {
		Steering []any `json:"steering"`
		FollowUp []any `json:"followUp"`
	}
	entryBody struct {
		Entry wire.Raw `json:"entry"`
	}
	sessionNameBody struct {
		Name string `json:"name"`
	}
	modelBody struct {
		Model v3.Model `json:"model"`
	}
	levelSelectBody struct {
		ThinkingLevel core.ThinkingLevel `json:"thinkingLevel"`
	}
	levelBody struct {
		Level core.ThinkingLevel `json:"level"`
	}
	shellOutputBody struct {
		ID    wire.Raw `json:"id,omitempty"`
		Delta string   `json:"delta"`
	}
	uiRequestBody struct {
		ID          string    `json:"id"`
		Method      string    `json:"method"`
		Title       string    `json:"title,omitempty"`
		Message     string    `json:"message"`
		NotifyType  string    `json:"notifyType,omitempty"`
		ExtensionID string    `json:"extensionId"`
		Generation  int       `json:"generation"`
		ToolCallID  string    `json:"toolCallId,omitempty"`
		ToolName    string    `json:"toolName,omitempty"`
		Risk        core.Risk `json:"risk,omitempty"`
	}
	uiResolvedBody struct {
		ID      string `json:"id"`
		Outcome string `json:"outcome"`
	}
)

// Size implements protocol.Sizer.
func (m messagesData) Size() int { return m.size }

// Size implements protocol.Sizer.
func (d entriesData) Size() int { return d.size }

// Size implements protocol.Sizer.
func (d treeData) Size() int { return d.size }

// Size implements protocol.Sizer.
func (d forkData) Size() int { return d.size }

// Size implements protocol.Sizer.
func (b bashData) Size() int { return len(b.Output) + len(b.Stdout) }

// Size implements protocol.Sizer.
func (b piBashData) Size() int { return len(b.Output) }

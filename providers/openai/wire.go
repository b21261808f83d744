package openai

import "github.com/dualagent/agent/internal/wire"

// A request asks for a chat completion.
type request struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	Tools               []tool         `json:"tools,omitempty"` // some servers reject an empty list
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// A message is one of the conversation. Content is a string, []part or nil.
type message struct {
	Role             string     `json:"role"`
	Content          any        `json:"content"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []toolCall `json:"tool_calls,omitempty"`
	ToolCallID       string     `json:"tool_call_id,omitempty"`
}

type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type toolCall struct {
	ID           string        `json:"id"`
	Type         string        `json:"type"`
	Function     function      `json:"function"`
	ExtraContent *extraContent `json:"extra_content,omitempty"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// extraContent is what Gemini adds to calls, and wants back.
type extraContent struct {
	Google struct {
		ThoughtSignature text `json:"thought_signature"`
	} `json:"google"`
}

type tool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Parameters  wire.Raw `json:"parameters"`
}

// A chunk is one event of a reply, a whole reply of a server that does not stream, or an error in place of either. Members
// that are not used, such as created and object, are left out, since servers differ in their types.
type chunk struct {
	ID      text     `json:"id"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage"`
	XGroq   *struct {
		Usage *usage `json:"usage"`
	} `json:"x_groq"` // where Groq puts it
	Error wire.Raw `json:"error"`
	errorBody
}

type choice struct {
	Index        number `json:"index"`
	Delta        delta  `json:"delta"`
	Message      *delta `json:"message"` // in place of Delta if the server does not stream; some send all so far with each Delta
	FinishReason text   `json:"finish_reason"`
	Usage        *usage `json:"usage"` // where Moonshot puts it
}

type delta struct {
	Content          content    `json:"content"`
	Refusal          text       `json:"refusal"`
	ReasoningContent text       `json:"reasoning_content"` // DeepSeek, Qwen
	Reasoning        text       `json:"reasoning"`         // OpenRouter, Groq
	ReasoningDetails []thought  `json:"reasoning_details"` // OpenRouter
	ToolCalls        []callPart `json:"tool_calls"`
	FunctionCall     *callName  `json:"function_call"` // before there were tools
}

// A thought is one of reasoning_details. Those that are encrypted have no text.
type thought struct {
	Text    text `json:"text"`
	Summary text `json:"summary"`
}

type callPart struct {
	Index        *number       `json:"index"`
	ID           text          `json:"id"`
	Function     callName      `json:"function"`
	ExtraContent *extraContent `json:"extra_content"`
}

type callName struct {
	Name      text `json:"name"`
	Arguments text `json:"arguments"`
}

type usage struct {
	PromptTokens        number `json:"prompt_tokens"`
	CompletionTokens    number `json:"completion_tokens"`
	CachedTokens        number `json:"cached_tokens"`           // Moonshot
	PromptCacheHit      number `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptTokensDetails struct {
		CachedTokens     number `json:"cached_tokens"`
		CacheWriteTokens number `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens number `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// An errorBody is what an error object says, and what an event named error says without one.
type errorBody struct {
	Message text `json:"message"`
	Code    text `json:"code"`
	Type    text `json:"type"`
}

// A modelList answers GET /models.
type modelList struct {
	Data []struct {
		ID            text   `json:"id"`
		Name          text   `json:"name"`
		ContextLength number `json:"context_length"`
		ContextWindow number `json:"context_window"`
		MaxModelLen   number `json:"max_model_len"` // vLLM
	} `json:"data"`
}

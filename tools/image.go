package tools

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // so that image knows the format
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"

	"github.com/dualagent/agent/core"
)

// maxImage is how many bytes an image may have: providers refuse those that are longer than 5 MiB in base64.
const maxImage = 5 << 20 / 4 * 3

// imageType returns the MIME type of an image that models can look at, by the begin of the file; else "".
func imageType(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return "image/gif"
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// readImage returns the image as a block. One that is broken is refused here, since providers would refuse the whole
// conversation from then on.
func readImage(r io.Reader, path, mime string, size int64) (core.ToolResult, error) {
	if size > maxImage {
		return core.ErrorResult(fmt.Sprintf("cannot read %s: the image has %d bytes; at most %d can be shown. Make a smaller copy first",
			path, size, maxImage)), nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxImage+1))
	if err != nil {
		return failure("read", path, err), nil
	}
	if _, _, err := image.DecodeConfig(bytes.NewReader(data)); err != nil && mime != "image/webp" || len(data) > maxImage {
		return core.ErrorResult(fmt.Sprintf("cannot read %s: it is not a valid image (%s)", path, mime)), nil
	}
	return core.ToolResult{Content: []core.Block{
		core.TextBlock(fmt.Sprintf("Read image file %s [%s, %d bytes]", path, mime, len(data))),
		{Kind: core.BlockImage, Image: &core.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: mime}},
	}}, nil
}

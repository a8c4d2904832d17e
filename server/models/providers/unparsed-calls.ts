/**
 * Marks with which open models begin a tool call, by the name under which their servers list the parser. A server whose
 * parser is off, or is another model's, leaves them in the text.
 */
const marks = {
  Hermes: /^[ \t]*<tool_call>/m,
  'gpt-oss': /<\|channel\|>\s*commentary|^[ \t]*(?:assistant)?commentary\s+to=functions\./m,
  Mistral: /^[ \t]*\[TOOL_CALLS\]/m,
  Llama: /^[ \t]*(?:<\|python_tag\|>|<function=)/m,
  DeepSeek: /<｜tool▁calls?▁begin｜>|<｜DSML｜/,
  Kimi: /<\|tool_calls?_(?:section_)?begin\|>/,
  Granite: /^[ \t]*<\|tool_call\|>/m,
  MiniMax: /^[ \t]*<minimax:tool_call>/m,
  Gemma: /^[ \t]*```tool_(?:code|call)/m,
}

/** The markup of tool calls in a text that names an offered tool behind it; undefined for any other text. */
export function callsLeftInText(
  text: string,
  tools: readonly { name: string }[],
): string | undefined {
  if (!tools.some((tool) => text.includes(tool.name))) return undefined
  for (const [name, mark] of Object.entries(marks)) {
    const at = mark.exec(text)?.index
    if (at === undefined) continue
    const rest = text.slice(at)
    if (tools.some((tool) => rest.includes(tool.name))) return name
  }
  return undefined
}

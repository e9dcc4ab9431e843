/** How text is rendered: as Markdown, as plain text, or as monospaced text. */
export type TextStyle = 'markdown' | 'text' | 'code'

/**
 * Models write Markdown. Other text is shown unchanged, because its lines, indentation and `>` have their own meaning.
 */
const WRITES_MARKDOWN: ReadonlySet<string> = new Set(['assistant', 'ai', 'model'])
const WRITES_OUTPUT: ReadonlySet<string> = new Set(['tool', 'function'])

/** `formatted`: false if the reader chose plain text. */
export function textStyleOf(role: string, formatted: boolean): TextStyle {
  if (WRITES_OUTPUT.has(role)) return 'code'
  return formatted && WRITES_MARKDOWN.has(role) ? 'markdown' : 'text'
}

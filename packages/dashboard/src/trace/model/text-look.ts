/** How a text is drawn: as Markdown, as it was written, or as it was written with letters of one width. */
export type TextLook = 'markdown' | 'text' | 'code'

/**
 * Models write Markdown. What others wrote is shown as it was: lines, indentation and `>` mean what they meant to its
 * author.
 */
const WRITES_MARKDOWN: ReadonlySet<string> = new Set(['assistant', 'ai', 'model'])
const WRITES_OUTPUT: ReadonlySet<string> = new Set(['tool', 'function'])

/** `formatted`: as long as the reader does not want all text as it is. */
export function textLookOf(role: string, formatted: boolean): TextLook {
  if (WRITES_OUTPUT.has(role)) return 'code'
  return formatted && WRITES_MARKDOWN.has(role) ? 'markdown' : 'text'
}

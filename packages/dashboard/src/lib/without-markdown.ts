/** The line below the head of a table: `|---|--:|`. */
const TABLE_RULE = /\s*\|\s*:?-{2,}:?\s*\|(?:\s*:?-+:?\s*\|)*/g
const SIGNS = /\*\*|```\w*|(?<=^|\s)#{1,6}\s/g

/** One line of Markdown as text: without the signs of tables, headings, bold text and code. */
export function withoutMarkdown(line: string): string {
  const hasTable = line.search(TABLE_RULE) !== -1
  const text = hasTable ? line.replace(TABLE_RULE, '').replace(/(?:\s*\|)+\s*/g, ' · ') : line
  return text.replace(SIGNS, '').replace(/^[ ·]+|[ ·]+$/g, '')
}

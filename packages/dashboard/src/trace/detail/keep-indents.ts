/** The parts of a Markdown node that are used here. */
interface Node {
  readonly type: string
  value?: string
  readonly children?: readonly Node[]
  readonly position?: { readonly start: Point; readonly end: Point }
}

interface Point {
  /** From 1. */
  readonly column: number
  readonly offset?: number
}

/**
 * A plugin of remark: keeps the white space at the beginning of lines within a paragraph, which Markdown drops, as
 * no-break spaces. Otherwise tracebacks and nested fields in a message lose their structure.
 */
export function keepIndents() {
  return (tree: Node, { value }: { readonly value: unknown }) => indentIn(tree, String(value), 0)
}

/** `margin`: the columns before the paragraph, such as those of a list marker. */
function indentIn(node: Node, source: string, margin: number): void {
  const inside = node.type === 'paragraph' ? (node.position?.start.column ?? 1) - 1 : margin
  for (const child of node.children ?? []) indentIn(child, source, inside)
  if (node.type !== 'text' || node.position === undefined || node.value?.includes('\n') !== true) return
  const { start, end } = node.position
  // The white space before the next node is not part of this one.
  const after = /^[ \t]*/.exec(source.slice(end.offset))?.[0] ?? ''
  const written = `${source.slice(start.offset, end.offset)}${after}`.split('\n')
  const lines = node.value.split('\n')
  if (written.length !== lines.length) return
  node.value = lines.map((line, at) => (at === 0 ? line : `${indentOf(written[at] ?? '', margin)}${line}`)).join('\n')
}

function indentOf(line: string, margin: number): string {
  const indent = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ') ?? ''
  return '\u00a0'.repeat(Math.max(0, indent.length - margin))
}

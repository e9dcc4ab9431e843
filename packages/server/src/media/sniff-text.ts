import { isUtf8 } from 'node:buffer'

/**
 * The binary data bytes of WHATWG MIME Sniffing: every control character except those of text and ESC, which colours
 * logs.
 */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/

/** Elements with which a document without a doctype begins if it is to be detected as HTML. */
const HTML_ELEMENTS = new Set(
  'a b base body br button canvas center div embed font form frameset h1 h2 h3 h4 h5 h6 head html iframe img input link math meta object p script section span style table template title ul video audio'.split(
    ' ',
  ),
)

/** Formats that are written in text but are not shown as text. */
const TEXTUAL: readonly (readonly [start: string, type: string])[] = [
  ['%PDF-', 'application/pdf'],
  ['%!PS', 'application/postscript'],
  ['{\\rtf', 'application/rtf'],
]

/**
 * The type of bytes that are text, detected from their beginning: markup as its own type, everything else as
 * `text/plain`. Null when they are not UTF-8 text. `whole`: whether `head` is the whole content; else its last
 * character may be cut.
 */
export function sniffText(head: Buffer, whole: boolean): string | null {
  if (head.length === 0) return null
  const complete = whole ? head : head.subarray(0, lastCharacterEnd(head))
  if (!isUtf8(complete)) return null
  const text = complete.toString('utf8')
  if (BINARY.test(text)) return null
  const start = text.replace(/^\ufeff/, '').trimStart()
  const textual = TEXTUAL.find(([magic]) => start.startsWith(magic))
  return textual?.[1] ?? markupType(start) ?? 'text/plain'
}

/** Where the last whole character of UTF-8 ends. */
function lastCharacterEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number
    if (byte < 0x80) return bytes.length
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}

const PROLOGUE = /^(?:<\?[^]*?\?>|<!--[^]*?-->)\s*/

function markupType(start: string): string | null {
  if (!start.startsWith('<')) return null
  const isXml = start.startsWith('<?xml')
  let rest = start
  for (let found = PROLOGUE.exec(rest); found !== null; found = PROLOGUE.exec(rest)) rest = rest.slice(found[0].length)
  const doctype = /^<!doctype\s+([\w:.-]+)/i.exec(rest)?.[1]
  const root = doctype ?? /^<([A-Za-z_][\w:.-]*)/.exec(rest)?.[1]
  // A comment or an instruction that does not end within the examined bytes.
  if (root === undefined) return isXml ? 'application/xml' : /^<[!?]/.test(rest) ? 'text/html' : null
  const name = (root.split(':').at(-1) as string).toLowerCase()
  if (name === 'svg') return 'image/svg+xml'
  if (name === 'html') return isXml ? 'application/xhtml+xml' : 'text/html'
  return !isXml && HTML_ELEMENTS.has(name) ? 'text/html' : 'application/xml'
}

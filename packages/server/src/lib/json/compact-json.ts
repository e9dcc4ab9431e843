/** Removes insignificant white space from a valid JSON text. Everything else, including escapes, stays unchanged. */
export function compactJson(text: string): string {
  if (!/[ \t\r\n]/.test(text)) return text
  let compact = ''
  let keptFrom = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) {
      inString = true
    } else if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      compact += text.slice(keptFrom, at)
      keptFrom = at + 1
    }
  }
  return compact + text.slice(keptFrom)
}

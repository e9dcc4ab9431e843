/** Offers a text as a file to save. */
export function saveFile(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }))
  saveFrom(href, name)
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}

/** The same for what is at an address of the service, which names the file unless a name is given. */
export function saveFrom(href: string, name = ''): void {
  const link = document.createElement('a')
  link.href = href
  link.download = name
  link.click()
}

/** Lines of cells as in RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsv(lines: readonly (readonly (string | number | null)[])[]): string {
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('')
}

function toCell(cell: string | number | null): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

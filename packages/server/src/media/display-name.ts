const MOST_CHARACTERS = 200

/** Control characters, and those that reverse text direction: `exe.gnp` must not look like `png.exe`. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** A file name as it is shown and offered for saving; it never names a file here. Null when none of it can be used. */
export function toDisplayName(filename: string | null | undefined): string | null {
  if (filename === null || filename === undefined) return null
  const base = filename.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const clean = base.replaceAll(UNPRINTABLE, '').trim()
  if (/^\.*$/.test(clean)) return null
  return shorten(clean)
}

/** Keeps the extension. */
function shorten(name: string): string {
  const characters = [...name]
  if (characters.length <= MOST_CHARACTERS) return name
  const [extension = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? []
  return characters.slice(0, MOST_CHARACTERS - extension.length).join('') + extension
}

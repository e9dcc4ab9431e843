import Anser from 'anser'

export interface AnsiRun {
  readonly text: string
  /** Empty for plain text. */
  readonly className: string
}

const ESCAPE = '\u001b'

/** Codes that render nothing: window titles and links (OSC), the choice of a character set, single letters. */
const NOT_PAINTED = new RegExp(`${ESCAPE}(?:\\][^${ESCAPE}\u0007]*(?:\u0007|${ESCAPE}\\\\)?|[()][0-9A-B]|[^\\[])`, 'gs')
/** A truncated code. */
const CUT_CODE = new RegExp(`${ESCAPE}(?:\\[[\\d;?]*)?$`)

/** Theme colours, readable whatever background the terminal had. 256-colour and true-colour codes are not rendered. */
const CLASSES: Readonly<Record<string, string>> = {
  'ansi-red': 'text-fail',
  'ansi-green': 'text-ok',
  'ansi-yellow': 'text-warn',
  'ansi-blue': 'text-info',
  'ansi-magenta': 'text-step-llm',
  'ansi-cyan': 'text-step-embedding',
  'ansi-bright-black': 'text-muted',
  bold: 'font-semibold',
  dim: 'text-muted',
  italic: 'italic',
  underline: 'underline',
  strikethrough: 'line-through',
}

/** Splits terminal output into styled text. Removes other codes, such as cursor movement. */
export function ansiRuns(text: string): readonly AnsiRun[] {
  if (!text.includes(ESCAPE)) return [{ text, className: '' }]
  const painted = text.replace(CUT_CODE, '').replace(NOT_PAINTED, '')
  return Anser.ansiToJson(painted, { json: true, remove_empty: true, use_classes: true }).map(
    ({ content, fg, decorations }) => ({
      text: content,
      className: [fg, ...decorations]
        .flatMap((name) => CLASSES[name] ?? CLASSES[name?.replace('bright-', '')] ?? [])
        .join(' '),
    }),
  )
}

export function withoutAnsi(text: string): string {
  return ansiRuns(text)
    .map(({ text: piece }) => piece)
    .join('')
}

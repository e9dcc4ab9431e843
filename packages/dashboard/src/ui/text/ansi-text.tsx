import { ansiRuns } from '../../lib/ansi-text.ts'

/** Text in the colours of a terminal. */
export function AnsiText({ text }: { text: string }) {
  return (
    <bdi>
      {ansiRuns(text).map(({ text: piece, className }, index) =>
        className === '' ? (
          piece
        ) : (
          <span key={index} className={className}>
            {piece}
          </span>
        ),
      )}
    </bdi>
  )
}

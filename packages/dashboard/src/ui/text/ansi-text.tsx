import { ansiRuns } from '../../lib/ansi-text.ts'

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

import type { TextPiece } from '../../lib/text-difference.ts'

/** Characters shown at each end of a long unchanged part. */
const KEPT_AROUND = 120
const CHANGE = { same: 'text-muted', removed: 'bg-fail-ground text-fail', added: 'bg-ok-ground text-ok no-underline' }
const CHANGE_TAG = { same: 'span', removed: 'del', added: 'ins' } as const

/** A text with what was removed from it and added to it, without the middle of long unchanged parts. */
export function ChangedWords({ pieces }: { pieces: readonly TextPiece[] }) {
  return (
    <p className="text-sm wrap-anywhere whitespace-pre-wrap">
      {pieces.map(({ kind, text }, index) => {
        const Tag = CHANGE_TAG[kind]
        const isLong = kind === 'same' && text.length > 3 * KEPT_AROUND
        return (
          <Tag key={index} className={CHANGE[kind]}>
            {isLong ? `${text.slice(0, KEPT_AROUND)} … ${text.slice(-KEPT_AROUND)}` : text}
          </Tag>
        )
      })}
    </p>
  )
}

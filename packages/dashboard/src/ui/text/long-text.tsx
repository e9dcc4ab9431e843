import { Fragment, useMemo, useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { AnsiText } from './ansi-text.tsx'
import { useFoundQuery } from './found-query.ts'
import { shownPieces } from './shown-pieces.ts'

/** Characters shown at first, and added by each click: amounts that a browser lays out without a pause. */
const FIRST = 4000
const STEP = 60_000

/**
 * A text of any length, truncated, with the matches of the search. Each click shows as much more as does not freeze the
 * page.
 */
export function LongText({ text }: { text: string }) {
  const [shown, setShown] = useState(FIRST)
  const query = useFoundQuery()
  const pieces = useMemo(() => shownPieces(text, query, shown), [text, query, shown])
  return pieces.map((piece) => {
    if (piece.shown) return <AnsiText key={piece.from} text={text.slice(piece.from, piece.to)} />
    const left = piece.to - piece.from
    return (
      <Fragment key={piece.from}>
        <button
          type="button"
          className="text-accent mx-1 font-sans underline"
          onClick={(event) => {
            event.stopPropagation()
            setShown(piece.from + STEP)
          }}
        >
          … show {left <= STEP ? 'all' : `${formatCount(STEP)} more`} of {formatCount(left)} characters
        </button>
        {piece.to < text.length && ' … '}
      </Fragment>
    )
  })
}

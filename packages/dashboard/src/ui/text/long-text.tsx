import { useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { AnsiText } from './ansi-text.tsx'

/** Characters shown at first, and added by each click: amounts that a browser lays out without a pause. */
const FIRST = 4000
const STEP = 60_000

/** A text of any length, truncated. Each click shows as much more as does not freeze the page. */
export function LongText({ text }: { text: string }) {
  const [shown, setShown] = useState(FIRST)
  if (text.length <= shown) return <AnsiText text={text} />
  const left = text.length - shown
  return (
    <>
      <AnsiText text={text.slice(0, shown)} />
      <button
        type="button"
        className="text-accent ml-1 font-sans underline"
        onClick={(event) => {
          event.stopPropagation()
          setShown(shown + STEP)
        }}
      >
        … show {left <= STEP ? 'all' : `${formatCount(STEP)} more`} of {formatCount(left)} characters
      </button>
    </>
  )
}

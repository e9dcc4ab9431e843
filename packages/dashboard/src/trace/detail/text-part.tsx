import { lazy, Suspense, useMemo, useState } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { JsonView } from '../../ui/json-view.tsx'
import { LongText } from '../../ui/long-text.tsx'
import { parseStructured } from '../model/message-parts.ts'
import { Fallback } from './fallback.tsx'

const Markdown = lazy(() => import('./markdown.tsx').then(({ Markdown: component }) => ({ default: component })))

/** Longer texts are not read as Markdown: that takes the time of many frames. */
const MOST_MARKDOWN = 20_000
/** Longer ones are folded to some lines at first. */
const FOLDED_FROM = 1800

export type TextLook = 'markdown' | 'plain'

/** A text: as JSON when it is that, as Markdown unless the reader wants it as it is. */
export function TextPart({ text, look }: { text: string; look: TextLook }) {
  const structured = useMemo(() => (look === 'markdown' ? parseStructured(text) : undefined), [text, look])
  if (structured !== undefined) return <JsonView value={structured} label="JSON" />
  const plain = (
    <div className="wrap-anywhere whitespace-pre-wrap">
      <LongText text={text} />
    </div>
  )
  if (look === 'plain' || text.length > MOST_MARKDOWN) return plain
  return (
    <Folded long={text.length > FOLDED_FROM} length={text.length}>
      <Fallback key={text} to={plain}>
        <Suspense fallback={plain}>
          <Markdown text={text} />
        </Suspense>
      </Fallback>
    </Folded>
  )
}

function Folded({ long, length, children }: { long: boolean; length: number; children: React.ReactNode }) {
  const [open, setOpen] = useState(false)
  if (!long) return children
  return (
    <div>
      <div
        className={open ? '' : 'max-h-72 overflow-hidden [mask-image:linear-gradient(to_bottom,#000_70%,transparent)]'}
      >
        {children}
      </div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="text-accent mt-1 text-sm underline"
      >
        {open ? 'Show less' : `Show all ${formatCount(length)} characters`}
      </button>
    </div>
  )
}

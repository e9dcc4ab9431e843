import { useMemo, useState, Component, type ReactNode } from 'react'
import { parseStructured } from '@spoor/payloads/exact-json'
import { formatCount } from '../../lib/format-number.ts'
import { JsonView } from '../../ui/text/json-view.tsx'
import { ownScript } from '../../ui/own-script.tsx'
import { AnsiText } from '../../ui/text/ansi-text.tsx'
import { useHasFound } from '../../ui/text/found-query.ts'
import { LongText } from '../../ui/text/long-text.tsx'
import type { TextStyle } from '../model/text-style.ts'

const Markdown = ownScript(() => import('./markdown.tsx').then((module) => module.Markdown))

/** Longer texts are not rendered as a whole, nor as Markdown: that would take many frames. */
const MAX_RENDERED = 20_000
/** Longer texts are collapsed to some lines at first. */
const FOLDED_FROM = 1800

const FENCED = /^```[^`]*\n[^]*^```/m

interface TextPartProps {
  readonly text: string
  readonly textStyle: TextStyle
  /** Renders JSON as a tree and collapses long text. */
  readonly formatted: boolean
}

export function TextPart({ text, textStyle: usual, formatted }: TextPartProps) {
  // People paste code between fences.
  const textStyle = usual === 'text' && FENCED.test(text) ? 'markdown' : usual
  const structured = useMemo(() => (formatted ? parseStructured(text) : undefined), [text, formatted])
  if (structured !== undefined) return <JsonView value={structured} label="JSON" />
  const asWritten = `wrap-anywhere whitespace-pre-wrap ${textStyle === 'code' ? 'font-mono text-xs leading-5' : ''}`
  if (!formatted || text.length > MAX_RENDERED) {
    return (
      <div className={asWritten}>
        <LongText text={text} />
      </div>
    )
  }
  const plain = (
    <div className={asWritten}>
      <AnsiText text={text} />
    </div>
  )
  return (
    <Folded text={text}>
      {textStyle === 'markdown' ? (
        <Fallback key={text} to={plain}>
          <Markdown text={text} meanwhile={plain} />
        </Fallback>
      ) : (
        plain
      )}
    </Folded>
  )
}

/** Shows the start of a long text; all of it if the search matches. */
function Folded({ text, children }: { text: string; children: React.ReactNode }) {
  const found = useHasFound(text)
  const [chosen, setOpen] = useState<boolean | null>(null)
  const open = chosen ?? found
  if (text.length <= FOLDED_FROM) return children
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
        {open ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
      </button>
    </div>
  )
}

interface FallbackProps {
  readonly to: ReactNode
  readonly children: ReactNode
}

/** Shows a plainer view if the content cannot be rendered: Markdown may nest too deeply for the renderer. */
class Fallback extends Component<FallbackProps, { readonly failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.to : this.props.children
  }
}

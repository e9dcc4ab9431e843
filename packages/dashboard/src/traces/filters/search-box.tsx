import { NAME_LENGTH } from '@spoor/contract/limits'
import { Search, X } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { Input } from '../../ui/field.tsx'

const SETTLED_MS = 250

interface SearchBoxProps {
  /** As in the URL. */
  readonly value: string
  onChange(text: string): void
  readonly ref: RefObject<HTMLInputElement | null>
}

/** The full-text search. It runs when typing pauses. */
export function SearchBox({ value, onChange, ref }: SearchBoxProps) {
  const [text, setText] = useState(value)
  // The URL's value when `text` was last synchronized with it.
  const [known, setKnown] = useState(value)
  const settled = useDebounced(text, SETTLED_MS)
  if (value !== known) {
    setKnown(value)
    setText(value)
  }
  const send = useEffectEvent((next: string) => {
    if (next !== text || next.trim() === value) return
    setKnown(next.trim())
    onChange(next.trim())
  })
  useEffect(() => send(settled), [settled])
  const clear = () => {
    setText('')
    setKnown('')
    onChange('')
  }
  return (
    <div className="relative w-full sm:w-72">
      <Search className="text-muted pointer-events-none absolute top-2 left-2.5 size-4" aria-hidden />
      <Input
        ref={ref}
        type="text"
        inputMode="search"
        aria-label="Search names and messages"
        placeholder="Search names and messages"
        autoComplete="off"
        spellCheck={false}
        maxLength={NAME_LENGTH}
        className="px-8"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(text.trim())
          if (event.key !== 'Escape') return
          if (text === '') event.currentTarget.blur()
          else clear()
        }}
      />
      {text === '' ? (
        <kbd
          className="text-muted pointer-events-none absolute top-2 right-2.5 hidden rounded md:block border px-1 font-mono text-xs"
          aria-hidden
        >
          /
        </kbd>
      ) : (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={clear}
          className="text-muted hover:text-ink absolute top-1 right-1 p-1.5"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </div>
  )
}

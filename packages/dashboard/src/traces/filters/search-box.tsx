import { NAME_LENGTH } from '@spoor/contract/limits'
import { Search, X } from 'lucide-react'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { idIn } from '../../api/find-place.ts'
import { useDebounced } from '../../lib/hooks/use-debounced.ts'
import { useIsLeaving } from '../../lib/hooks/use-is-leaving.ts'
import { Input } from '../../ui/field.tsx'
import { useOpenPlace } from './use-open-place.ts'

const SETTLED_MS = 250

interface SearchBoxProps {
  /** As in the URL. */
  readonly value: string
  onChange(text: string): void
  readonly ref: RefObject<HTMLInputElement | null>
}

/** The full-text search. It runs when typing pauses. An id that is pasted, or entered by Enter, opens what it names. */
export function SearchBox({ value, onChange, ref }: SearchBoxProps) {
  const [text, setText] = useState(value)
  // The URL's value when `text` was last synchronized with it.
  const [known, setKnown] = useState(value)
  const settled = useDebounced(text, SETTLED_MS)
  const { isOpening, open } = useOpenPlace()
  const isLeaving = useIsLeaving()
  if (value !== known) {
    setKnown(value)
    setText(value)
  }
  const send = useEffectEvent((next: string) => {
    if (isOpening || isLeaving() || next !== text || next.trim() === value) return
    setKnown(next.trim())
    onChange(next.trim())
  })
  useEffect(() => send(settled), [settled])
  /** Searches for an id that names nothing. */
  const enter = async (entered: string) => {
    const id = idIn(entered)
    if (id === null || !(await open(id))) onChange(entered.trim())
  }
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
        aria-label="Search text, or paste an id"
        placeholder="Search text, or paste an id"
        autoComplete="off"
        spellCheck={false}
        maxLength={NAME_LENGTH}
        className="px-8"
        value={text}
        onText={setText}
        onPaste={(event) => {
          const { selectionStart, selectionEnd } = event.currentTarget
          const pasted = event.clipboardData.getData('text')
          const isWhole = selectionStart === 0 && selectionEnd === text.length
          if (!isWhole || idIn(pasted) === null) return
          event.preventDefault()
          setText(pasted.trim())
          void enter(pasted)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void enter(text)
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

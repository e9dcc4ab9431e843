import { NAME_LENGTH } from '@spoor/contract/limits'
import { type KeyboardEvent, useId, useState } from 'react'
import { Input } from '../../ui/field.tsx'

export interface Suggestion {
  readonly value: string
  readonly label: string
  /** A count or a description. */
  readonly detail?: string
}

const OPTION = 'flex cursor-pointer items-center gap-3 rounded-md px-2.5 py-1.5 text-sm aria-selected:bg-hover'

interface SuggestBoxProps {
  readonly label: string
  readonly text: string
  onText(text: string): void
  readonly suggestions: readonly Suggestion[]
  /** Whether the typed text may be chosen too. */
  readonly free: boolean
  /** Shown if there are no suggestions. */
  readonly nothing: string
  onChoose(chosen: Suggestion): void
  /** Called for Backspace in the empty field. */
  onBack?(): void
}

/** A text field with suggestions, by arrow keys, Enter and pointer. */
export function SuggestBox({ label, text, onText, suggestions, free, nothing, onChoose, onBack }: SuggestBoxProps) {
  const id = useId()
  const [active, setActive] = useState(0)
  const exact = suggestions.filter(({ value }) => value === text)
  const others = suggestions.filter(({ value }) => value !== text)
  const typed = free && text !== '' && exact.length === 0 ? [{ value: text, label: text, detail: 'as typed' }] : []
  const options: readonly Suggestion[] = [...exact, ...others, ...typed]
  const current = Math.min(active, options.length - 1)
  const move = (to: number) => {
    const next = (to + options.length) % Math.max(1, options.length)
    setActive(next)
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = options[current]
    if (event.key === 'ArrowDown') move(current + 1)
    else if (event.key === 'ArrowUp') move(current - 1)
    else if (event.key === 'Enter' && chosen !== undefined) onChoose(chosen)
    else if (event.key === 'Backspace' && text === '' && onBack !== undefined) onBack()
    else return
    event.preventDefault()
  }
  return (
    <div>
      <Input
        autoFocus
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(options.length > 0 ? { 'aria-activedescendant': `${id}-${current}` } : {})}
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={NAME_LENGTH}
        value={text}
        onText={(next) => {
          setActive(0)
          onText(next)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label={label} className="mt-2 max-h-80 overflow-y-auto">
        {options.map((option, index) => (
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            title={option.label}
            onPointerMove={() => setActive(index)}
            onClick={() => onChoose(option)}
            className={OPTION}
          >
            <bdi className="min-w-0 flex-1 truncate">{option.label}</bdi>
            {option.detail !== undefined && (
              <span className="text-muted shrink-0 text-xs tabular-nums">{option.detail}</span>
            )}
          </div>
        ))}
      </div>
      {options.length === 0 && <p className="text-muted px-2.5 py-1.5 text-sm">{nothing}</p>}
    </div>
  )
}

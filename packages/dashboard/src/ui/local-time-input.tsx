import { CalendarDays } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, useRef } from 'react'
import { parseLocalTime, printLocalTime, stepLocalTime } from '../lib/local-time.ts'
import { IconButton } from './button.tsx'
import { Input } from './field.tsx'

interface LocalTimeInputProps extends Omit<ComponentProps<typeof Input>, 'type' | 'value' | 'onKeyDown' | 'ref'> {
  readonly value: string
  onText(text: string): void
}

/** The error for a text that `parseLocalTime` rejects. */
export const NO_LOCAL_TIME = 'Enter it as 2026-01-31 14:30:00, in 24-hour time.'

/**
 * A time in the reader's zone, as printed by `printLocalTime`. A text field, because the browser's own input chooses
 * between 12 and 24 hours by itself. Arrow keys change the part at the caret; the browser's calendar sets the date.
 */
export function LocalTimeInput({ value, onText, className = '', ...rest }: LocalTimeInputProps) {
  const text = useRef<HTMLInputElement>(null)
  const days = useRef<HTMLInputElement>(null)
  const time = parseLocalTime(value)
  const printed = Number.isNaN(time) ? '' : printLocalTime(time)
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    const { currentTarget: input } = event
    const stepped = stepLocalTime(value, input.selectionStart ?? 0, event.key === 'ArrowUp' ? 1 : -1)
    if (stepped === null) return
    event.preventDefault()
    onText(stepped.text)
    // After the render, because a changed value moves the caret to the end.
    requestAnimationFrame(() => input.setSelectionRange(stepped.from, stepped.to))
  }
  return (
    <div className={`relative ${className}`}>
      <Input
        {...rest}
        ref={text}
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder="2026-01-31 14:30:00"
        className="pr-9 tabular-nums"
        value={value}
        onText={onText}
        onKeyDown={onKeyDown}
      />
      <input
        ref={days}
        type="date"
        aria-hidden
        tabIndex={-1}
        className="pointer-events-none absolute bottom-0 left-0 h-px w-full opacity-0"
        value={printed.slice(0, 10)}
        onChange={({ target }) => {
          if (target.value !== '') onText(`${target.value} ${printed.slice(11) || '00:00:00'}`)
          text.current?.focus()
        }}
      />
      <IconButton
        icon={CalendarDays}
        label="Choose a date"
        className="absolute top-0.5 right-0.5 h-7! w-7!"
        onClick={() => days.current?.showPicker()}
      />
    </div>
  )
}

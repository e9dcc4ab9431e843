import { CalendarClock } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type SubmitEvent, useState } from 'react'
import { MOMENT_FORMAT } from '../lib/format-time.ts'
import { parseLocalTime, printLocalTime } from '../lib/local-time.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { boundsOf, LAST_RANGES, type LastRange, RANGE_LABELS, type TimeRange } from '../lib/time-range.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { LocalTimeInput, NO_LOCAL_TIME } from './local-time-input.tsx'
import { POPOVER_CONTENT } from './menu-classes.ts'

interface TimeRangePickerProps {
  readonly value: TimeRange
  onChange(range: TimeRange): void
  /** Whether "All time" is offered. */
  readonly all?: boolean
}

const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone

export function TimeRangePicker({ value, onChange, all = false }: TimeRangePickerProps) {
  const [open, setOpen] = useState(false)
  useShortcuts('Time range', { t: { does: 'Choose the time range', run: () => setOpen(true) } })
  const choose = (range: TimeRange) => {
    setOpen(false)
    onChange(range)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button icon={CalendarClock} aria-label={`Time range: ${labelOf(value)}`}>
          {labelOf(value)}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={`${POPOVER_CONTENT} w-80`} align="end" sideOffset={4} aria-label="Time range">
          <div className="grid grid-cols-2 gap-1">
            {(Object.keys(LAST_RANGES) as LastRange[]).map((range) => (
              <Choice
                key={range}
                chosen={value.kind === 'last' && value.range === range}
                label={RANGE_LABELS[range]}
                onChoose={() => choose({ kind: 'last', range })}
              />
            ))}
            {all && <Choice chosen={value.kind === 'all'} label="All time" onChoose={() => choose({ kind: 'all' })} />}
          </div>
          <Between key={String(open)} value={value} onChoose={choose} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Choice({ chosen, label, onChoose }: { chosen: boolean; label: string; onChoose: () => void }) {
  return (
    <Button
      variant="ghost"
      aria-pressed={chosen}
      onClick={onChoose}
      className="aria-pressed:bg-selected aria-pressed:text-ink justify-start"
    >
      {label}
    </Button>
  )
}

function Between({ value, onChoose }: { value: TimeRange; onChoose: (range: TimeRange) => void }) {
  const [begin] = useState(() => {
    const now = Date.now()
    const { from, to } = boundsOf(value, now)
    return { from: printLocalTime(from ?? now - 86_400_000), to: printLocalTime(to ?? now) }
  })
  const [from, setFrom] = useState(begin.from)
  const [to, setTo] = useState(begin.to)
  // No error while a time is still being typed.
  const [left, setLeft] = useState(false)
  const [fromTime, toTime] = [parseLocalTime(from), parseLocalTime(to)]
  const backwards = fromTime >= toTime
  const isRange = fromTime < toTime
  const wrong = (time: number) => (left && Number.isNaN(time) ? NO_LOCAL_TIME : undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isRange) {
      onChoose({ kind: 'between', from: new Date(fromTime).toISOString(), to: new Date(toTime).toISOString() })
    } else setLeft(true)
  }
  return (
    <form noValidate onSubmit={submit} onBlur={() => setLeft(true)} className="mt-3 space-y-2 border-t pt-3">
      <Field label="From" error={wrong(fromTime)}>
        <LocalTimeInput value={from} onText={setFrom} />
      </Field>
      <Field
        label="To"
        hint={`In ${ZONE}, 24-hour time.`}
        error={backwards ? 'This must be after the start.' : wrong(toTime)}
      >
        <LocalTimeInput value={to} onText={setTo} />
      </Field>
      <Button type="submit" variant="primary" disabled={!isRange} className="w-full">
        Apply
      </Button>
    </form>
  )
}

function labelOf(range: TimeRange): string {
  if (range.kind === 'all') return 'All time'
  if (range.kind === 'last') return RANGE_LABELS[range.range]
  return `${MOMENT_FORMAT.format(Date.parse(range.from))} – ${MOMENT_FORMAT.format(Date.parse(range.to))}`
}

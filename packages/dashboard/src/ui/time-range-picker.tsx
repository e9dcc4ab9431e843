import { CalendarClock } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type SubmitEvent, useState } from 'react'
import { boundsOf, LAST_RANGES, type LastRange, RANGE_LABELS, type TimeRange } from '../lib/time-range.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { LocalTimeInput } from './local-time-input.tsx'
import { POPOVER_CONTENT } from './menu-classes.ts'

interface TimeRangePickerProps {
  readonly value: TimeRange
  onChange(range: TimeRange): void
  /** Whether everything may be asked for. */
  readonly all?: boolean
}

const SHORT = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })

export function TimeRangePicker({ value, onChange, all = false }: TimeRangePickerProps) {
  const [open, setOpen] = useState(false)
  const choose = (range: TimeRange) => {
    setOpen(false)
    onChange(range)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button aria-label={`Time range: ${labelOf(value)}`}>
          <CalendarClock className="size-4" aria-hidden /> {labelOf(value)}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className={`${POPOVER_CONTENT} w-80`} align="end" sideOffset={4}>
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

/** Two times in the reader's zone. */
function Between({ value, onChoose }: { value: TimeRange; onChoose: (range: TimeRange) => void }) {
  const [begin] = useState(() => {
    const now = Date.now()
    const { from, to } = boundsOf(value, now)
    return { from: toLocal(from ?? now - 86_400_000), to: toLocal(to ?? now) }
  })
  const [from, setFrom] = useState(begin.from)
  const [to, setTo] = useState(begin.to)
  const backwards = !(Date.parse(from) < Date.parse(to))
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    onChoose({ kind: 'between', from: new Date(from).toISOString(), to: new Date(to).toISOString() })
  }
  return (
    <form onSubmit={submit} className="mt-3 space-y-2 border-t pt-3">
      <Field label="From">{(props) => <LocalTimeInput {...props} required value={from} onText={setFrom} />}</Field>
      <Field label="To" error={backwards ? 'This must be later than the beginning.' : undefined}>
        {(props) => <LocalTimeInput {...props} required value={to} onText={setTo} />}
      </Field>
      <Button type="submit" variant="primary" disabled={backwards} className="w-full">
        Show
      </Button>
    </form>
  )
}

function labelOf(range: TimeRange): string {
  if (range.kind === 'all') return 'All time'
  if (range.kind === 'last') return RANGE_LABELS[range.range]
  return `${SHORT.format(Date.parse(range.from))} – ${SHORT.format(Date.parse(range.to))}`
}

/** As the input takes it: the reader's own time, to the second. */
function toLocal(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

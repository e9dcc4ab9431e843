import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import type { ApiError } from '../api/client/api-error.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'
import { newOption, type OptionRow } from './metric-form-state.ts'

interface OptionRowsProps {
  readonly options: readonly OptionRow[]
  readonly problem: ApiError | undefined
  onChange(options: readonly OptionRow[]): void
}

/** The options of an enum metric, in order. */
export function OptionRows({ options, problem, onChange }: OptionRowsProps) {
  const set = (key: number, change: Partial<OptionRow>) =>
    onChange(options.map((option) => (option.key === key ? { ...option, ...change } : option)))
  const move = (index: number, by: number) => {
    const moved = [...options]
    const [option] = moved.splice(index, 1)
    if (option !== undefined) moved.splice(index + by, 0, option)
    onChange(moved)
  }
  const ofAll = problem?.problems.find(({ pointer }) => pointer === '/options')?.detail
  return (
    <fieldset className="space-y-2">
      <legend className="text-sm font-medium">Options</legend>
      {options.map(({ key, value, label, fixed }, index) => {
        const error = problem?.of(`/options/${index}`)
        const of = `option ${index + 1}`
        return (
          <div key={key}>
            <div className="flex items-center gap-1">
              <Input
                aria-label={`Value of ${of}`}
                placeholder="value"
                disabled={fixed}
                value={value}
                {...(error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `option-error-${key}` })}
                onChange={({ target }) => set(key, { value: target.value })}
              />
              <Input
                aria-label={`Label of ${of}`}
                placeholder="label (optional)"
                value={label}
                onChange={({ target }) => set(key, { label: target.value })}
              />
              <Button
                variant="ghost"
                icon
                aria-label={`Move ${of} up`}
                disabled={index === 0}
                onClick={() => move(index, -1)}
                className="shrink-0"
              >
                <ArrowUp className="size-4" aria-hidden />
              </Button>
              <Button
                variant="ghost"
                icon
                aria-label={`Move ${of} down`}
                disabled={index === options.length - 1}
                onClick={() => move(index, 1)}
                className="shrink-0"
              >
                <ArrowDown className="size-4" aria-hidden />
              </Button>
              <Button
                variant="ghost"
                icon
                aria-label={`Remove ${of}`}
                title={fixed ? 'Events may use this option, so it cannot be removed.' : undefined}
                disabled={fixed}
                onClick={() => onChange(options.filter((option) => option.key !== key))}
                className="shrink-0"
              >
                <Trash2 className="size-4" aria-hidden />
              </Button>
            </div>
            {error !== undefined && (
              <p id={`option-error-${key}`} role="alert" className="text-fail mt-1 text-sm break-words">
                {error}
              </p>
            )}
          </div>
        )
      })}
      {ofAll !== undefined && (
        <p role="alert" className="text-fail text-sm break-words">
          {ofAll}
        </p>
      )}
      <Button onClick={() => onChange([...options, newOption(1 + Math.max(-1, ...options.map(({ key }) => key)))])}>
        <Plus className="size-4" aria-hidden /> Add an option
      </Button>
    </fieldset>
  )
}

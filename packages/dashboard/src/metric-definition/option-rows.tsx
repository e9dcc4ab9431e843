import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Input, Fieldset } from '../ui/field.tsx'
import { useFieldError } from '../ui/form.tsx'
import { newOption, type OptionRow } from './metric-form-state.ts'

interface OptionRowsProps {
  readonly options: readonly OptionRow[]
  onChange(options: readonly OptionRow[]): void
}

export function OptionRows({ options, onChange }: OptionRowsProps) {
  const move = (index: number, by: number) => {
    const moved = [...options]
    const [option] = moved.splice(index, 1)
    if (option !== undefined) moved.splice(index + by, 0, option)
    onChange(moved)
  }
  return (
    <Fieldset legend="Options" at="/options" exact>
      {options.map((option, index) => (
        <Row
          key={option.key}
          option={option}
          index={index}
          isLast={index === options.length - 1}
          onChange={(change) => onChange(options.with(index, { ...option, ...change }))}
          onMove={(by) => move(index, by)}
          onRemove={() => onChange(options.toSpliced(index, 1))}
        />
      ))}
      <Button
        icon={Plus}
        onClick={() => onChange([...options, newOption(1 + Math.max(-1, ...options.map(({ key }) => key)))])}
      >
        Add an option
      </Button>
    </Fieldset>
  )
}

interface RowProps {
  readonly option: OptionRow
  readonly index: number
  readonly isLast: boolean
  onChange(change: Partial<OptionRow>): void
  onMove(by: 1 | -1): void
  onRemove(): void
}

function Row({ option: { value, label, fixed }, index, isLast, onChange, onMove, onRemove }: RowProps) {
  const id = useId()
  const error = useFieldError(`/options/${index}`)
  const of = `option ${index + 1}`
  return (
    <div>
      <div className="flex items-center gap-1">
        <Input
          aria-label={`Value of ${of}`}
          placeholder="value"
          disabled={fixed}
          value={value}
          {...(error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id })}
          onText={(text) => onChange({ value: text })}
        />
        <Input
          aria-label={`Label of ${of}`}
          placeholder="label (optional)"
          value={label}
          onText={(text) => onChange({ label: text })}
        />
        <IconButton
          className="shrink-0"
          icon={ArrowUp}
          label={`Move ${of} up`}
          disabled={index === 0}
          onClick={() => onMove(-1)}
        />
        <IconButton
          className="shrink-0"
          icon={ArrowDown}
          label={`Move ${of} down`}
          disabled={isLast}
          onClick={() => onMove(1)}
        />
        <IconButton
          className="shrink-0"
          icon={Trash2}
          label={`Remove ${of}`}
          title={fixed ? 'Events may use this option, so it cannot be removed.' : undefined}
          disabled={fixed}
          onClick={onRemove}
        />
      </div>
      <ErrorText id={id} error={error} className="mt-1" />
    </div>
  )
}

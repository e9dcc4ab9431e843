import type { ComponentProps } from 'react'
import { Input } from './field.tsx'

interface LocalTimeInputProps extends Omit<ComponentProps<typeof Input>, 'type' | 'step' | 'onChange'> {
  onText(local: string): void
}

/** A time in the reader's zone, to the second, as `toLocalInput` prints it; empty while it is incomplete. */
export function LocalTimeInput({ onText, ...rest }: LocalTimeInputProps) {
  return <Input {...rest} type="datetime-local" step="1" onChange={(event) => onText(event.target.value)} />
}

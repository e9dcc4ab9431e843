import { useRef, useState } from 'react'

interface Edits<Fields extends object> {
  /** What was changed since the last save. */
  readonly edits: Partial<Fields>
  change(some: Partial<Fields>): void
  /** Call it when the edits are sent. */
  sending(): void
  /** Call it when they are saved. What was changed meanwhile stays. */
  saved(): void
}

export function useEdits<Fields extends object>(): Edits<Fields> {
  const [edits, setEdits] = useState<Partial<Fields>>({})
  const sent = useRef(edits)
  const isNew = ([name, value]: [string, unknown]) => sent.current[name as keyof Fields] !== value
  return {
    edits,
    change: (some) => setEdits((now) => ({ ...now, ...some })),
    sending: () => void (sent.current = edits),
    saved: () => setEdits((now) => Object.fromEntries(Object.entries(now).filter(isNew)) as Partial<Fields>),
  }
}

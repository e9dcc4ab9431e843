import type { ComponentProps } from 'react'
import { Button } from './button.tsx'

interface IconButtonProps extends Omit<ComponentProps<typeof Button>, 'children'> {
  readonly label: string
  /** What does the same. */
  readonly keys?: string | undefined
}

/** A square button with an icon, which is named on hover. */
export function IconButton({ label, keys, ...rest }: IconButtonProps) {
  const title = keys === undefined ? label : `${label} (${keys})`
  return <Button variant="ghost" aria-label={label} title={title} {...rest} />
}

import type { LucideIcon } from 'lucide-react'
import { type ButtonHTMLAttributes, type Ref, type ComponentProps, type ReactNode, useContext, useId } from 'react'
import { Tooltip } from 'radix-ui'
import { OfScreen, useActions } from '../lib/hooks/use-shortcuts.ts'

type Variant = 'primary' | 'plain' | 'ghost' | 'danger'

const VARIANTS: Readonly<Record<Variant, string>> = {
  primary: 'bg-accent text-on-accent hover:brightness-110',
  plain: 'bg-raised hover:bg-hover border',
  ghost: 'hover:bg-hover text-muted hover:text-ink',
  danger: 'bg-raised text-fail hover:bg-fail-ground border border-line-strong',
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: Variant
  /** Before the label. Without one the button is a square with only the icon, and needs an `aria-label`. */
  readonly icon?: LucideIcon
  /** What Ctrl-K lists; the label if omitted. */
  readonly action?: string
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'plain',
  icon: Icon,
  action,
  className = '',
  type = 'button',
  children,
  ...rest
}: ButtonProps) {
  const own = useId()
  const { id = own, 'aria-label': label = typeof children === 'string' ? children : undefined } = rest
  const isListed = useContext(OfScreen) && rest.onClick !== undefined && rest.disabled !== true
  const button = (
    <button
      id={isListed ? id : undefined}
      type={type}
      className={`inline-flex h-8 items-center justify-center gap-1.5 rounded-md text-sm font-medium whitespace-nowrap transition-colors disabled:pointer-events-none disabled:opacity-50 ${children === undefined ? 'w-8' : 'px-3'} ${VARIANTS[variant]} ${className}`}
      {...rest}
    >
      {Icon !== undefined && <Icon className="size-4" aria-hidden />}
      {children}
    </button>
  )
  if (!isListed || label === undefined) return button
  return (
    <>
      {button}
      <Action label={action ?? label} run={() => document.getElementById(id)?.click()} />
    </>
  )
}

function Action(action: { readonly label: string; run(): void }) {
  useActions([action])
  return null
}

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

export function Hint({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={4}
          className="bg-ink text-ground z-50 max-w-xs rounded-md px-2 py-1 text-xs break-words shadow-md"
        >
          {text}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}

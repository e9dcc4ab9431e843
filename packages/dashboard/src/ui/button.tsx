import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'

type Variant = 'primary' | 'plain' | 'ghost' | 'danger'

const VARIANTS: Readonly<Record<Variant, string>> = {
  primary: 'bg-accent text-on-accent hover:brightness-110',
  plain: 'bg-raised hover:bg-hover border',
  ghost: 'hover:bg-hover text-muted hover:text-ink',
  danger: 'bg-raised text-fail hover:bg-fail-ground border border-line-strong',
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: Variant
  /** A square button with only this icon; needs an `aria-label`. */
  readonly icon?: LucideIcon | undefined
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'plain',
  icon: Icon,
  className = '',
  type = 'button',
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={`inline-flex h-8 items-center justify-center gap-1.5 rounded-md text-sm font-medium whitespace-nowrap transition-colors disabled:pointer-events-none disabled:opacity-50 ${Icon === undefined ? 'px-3' : 'w-8'} ${VARIANTS[variant]} ${className}`}
      {...rest}
    >
      {Icon === undefined ? children : <Icon className="size-4" aria-hidden />}
    </button>
  )
}

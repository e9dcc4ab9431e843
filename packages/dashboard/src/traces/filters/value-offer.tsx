import { Copy, ListFilter } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { createContext, type ReactNode, useContext } from 'react'
import { MENU_CONTENT, MENU_ITEM } from '../../ui/menu-classes.ts'
import { type FeedFilter, filterLabel, filterValueLabel } from './feed-filters.ts'

/** Filters of a row's values, and the element that shows them. */
export interface ValueOffer {
  readonly from: HTMLElement
  readonly filters: readonly FeedFilter[]
  /** What to show of each in place of its value. */
  readonly texts?: readonly string[]
}

export const OfferValues = createContext<(offer: ValueOffer) => void>(() => {})
export const OfferValuesProvider = OfferValues.Provider

interface ValueButtonProps {
  readonly filter: FeedFilter
  readonly children: ReactNode
  readonly title: string
  readonly className?: string
}

/**
 * A value that can become a filter. It is not a tab stop, because there would be hundreds: the row's shortcut `x` does
 * the same.
 */
export function ValueButton({ filter, children, title, className = '' }: ValueButtonProps) {
  const offer = useContext(OfferValues)
  return (
    <button
      type="button"
      tabIndex={-1}
      title={title.slice(0, 1000)}
      onClick={(event) => offer({ from: event.currentTarget, filters: [filter] })}
      className={`hover:bg-line relative z-10 max-w-full min-w-0 truncate rounded px-1 text-left ${className}`}
    >
      {children}
    </button>
  )
}

interface ValueMenuProps {
  readonly offer: ValueOffer | null
  onFilter(filter: FeedFilter): void
  onCopy(text: string): void
  onClose(): void
}

export function ValueMenu({ offer, onFilter, onCopy, onClose }: ValueMenuProps) {
  if (offer === null) return null
  const { from, filters, texts } = offer
  const at = from.getBoundingClientRect()
  const only = filters.length === 1 ? filters[0] : undefined
  return (
    <DropdownMenu.Root modal={false} open onOpenChange={(open) => !open && onClose()}>
      <DropdownMenu.Trigger asChild>
        <span
          aria-hidden
          className="pointer-events-none fixed"
          style={{ left: at.left, top: at.top, width: at.width, height: at.height }}
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label="Filter by a value"
          className={`${MENU_CONTENT} max-w-[min(28rem,calc(100vw-1rem))]`}
          align="start"
          sideOffset={4}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            from.focus({ preventScroll: true })
          }}
        >
          {filters.map((filter, index) => (
            <DropdownMenu.Item
              key={filterLabel(filter) + filterValueLabel(filter)}
              className={MENU_ITEM}
              onSelect={() => onFilter(filter)}
            >
              <ListFilter className="text-muted size-3.5 shrink-0" aria-hidden />
              <span className="text-muted shrink-0">
                <bdi>{filterLabel(filter)}</bdi>
              </span>
              <bdi className="truncate font-medium" title={texts?.[index]?.slice(0, 1000)}>
                {texts?.[index]?.slice(0, 200) ?? filterValueLabel(filter)}
              </bdi>
            </DropdownMenu.Item>
          ))}
          {only !== undefined && (
            <DropdownMenu.Item className={MENU_ITEM} onSelect={() => onCopy([only.value ?? ''].flat().join('\n'))}>
              <Copy className="text-muted size-3.5" aria-hidden /> Copy
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

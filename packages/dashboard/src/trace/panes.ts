import type { PaneShare } from '../lib/pane-share.ts'

/** Wide enough for two panes, as `lg` in the style sheet. */
export const WIDE = '(min-width: 64rem)'

export const PANES: PaneShare = {
  name: 'spoor.trace-panes',
  property: '--share',
  initial: 58,
  least: 25,
  most: 80,
}

/** The columns before the waterfall in the list of steps: names take what the numbers leave. */
export const STEP_COLUMNS: PaneShare = {
  name: 'spoor.step-columns',
  property: '--names',
  initial: 62,
  least: 45,
  most: 85,
}

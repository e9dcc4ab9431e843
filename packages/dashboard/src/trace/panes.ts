import type { PaneShare } from '../lib/pane-share.ts'

/** The steps and the details beside them. */
export const PANES: PaneShare = { name: 'spoor.trace-panes', initial: 58, least: 25, most: 80 }

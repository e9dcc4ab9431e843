/** Line colours in the order of use; from the ninth line on they repeat, dashed. */
const LINE_COLORS = [
  '--color-accent',
  '--color-step-llm',
  '--color-warn',
  '--color-info',
  '--color-step-guardrail',
  '--color-step-evaluator',
  '--color-step-embedding',
  '--color-step-chain',
] as const

export type LineColor = (typeof LINE_COLORS)[number] | '--color-fail' | '--color-ok' | '--color-line-strong'

export const LINES_SHOWN = LINE_COLORS.length
/** More lines cannot be distinguished. */
export const LINES_MAX = 2 * LINES_SHOWN

export function lineStyle(index: number): { readonly color: LineColor; readonly dashed: boolean } {
  return { color: LINE_COLORS[index % LINES_SHOWN] ?? '--color-accent', dashed: index >= LINES_SHOWN }
}

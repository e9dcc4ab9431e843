/*
 * `node --import shift-clock.mjs` shifts the clock of a process by TEST_CLOCK_SHIFT_MS milliseconds. Timers are not
 * shifted.
 */
const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'])
const { now } = Date

Date.now = () => now() + shiftMs

globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + shiftMs] : args, newTarget),
  apply: () => new Date(now() + shiftMs).toString(),
})

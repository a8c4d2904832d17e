/** Limits of a training set from any source. */
export const maxTrainingBytes = 20 * 1024 * 1024
export const minExamples = 10
/** Limit of a set from runs; the newest steps are used. */
export const maxRunExamples = 10_000

/** Bounds of a training set, whatever it is made from. */
export const maxTrainingBytes = 20 * 1024 * 1024
export const minExamples = 10
/** Of a set that is made from runs; the newest are taken. */
export const maxRunExamples = 10_000

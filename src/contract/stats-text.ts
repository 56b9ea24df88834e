/** [O1.5] What people read of hours that retention has reduced. */
export const withoutDeleted = "without threads that retention has deleted";

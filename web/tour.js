// stub
export function tourTools() {}

/*
 * Stands before the C library of a program and does two things to what it writes to disk, each if a variable says so.
 *
 * DISK_SLOW=FILE: while FILE exists, every sync takes as many milliseconds longer as are written in it.
 * DISK_RECORD=LOG, DISK_FOLDER=FOLDER: every write, truncation, sync, removal and renaming of a file in FOLDER is appended
 * to LOG, in the order in which it happened: a line of text, then the bytes that were written.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int logged = -1;

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static ssize_t real_write(int fd, const void *bytes, size_t count) {
  static ssize_t (*real)(int, const void *, size_t);
  if (!real) real = next("write");
  return real(fd, bytes, count);
}

static void slow(void) {
  const char *file = getenv("DISK_SLOW");
  if (!file) return;
  FILE *opened = fopen(file, "r");
  if (!opened) return;
  int ms = 0;
  if (fscanf(opened, "%d", &ms) == 1 && ms > 0) usleep((useconds_t)ms * 1000);
  fclose(opened);
}

/* The name within the folder; NULL for everything else. */
static const char *inside(int fd, char *buffer) {
  const char *folder = getenv("DISK_FOLDER");
  if (!folder || !getenv("DISK_RECORD")) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  if (length <= 0) return NULL;
  buffer[length] = 0;
  size_t prefix = strlen(folder);
  if (strncmp(buffer, folder, prefix) || buffer[prefix] != '/') return NULL;
  return buffer + prefix + 1;
}

static const char *named(const char *path) {
  const char *folder = getenv("DISK_FOLDER");
  if (!folder || !getenv("DISK_RECORD")) return NULL;
  size_t prefix = strlen(folder);
  return !strncmp(path, folder, prefix) && path[prefix] == '/' ? path + prefix + 1 : NULL;
}

static void note(const char *what, const char *name, off_t at, size_t count, const void *bytes) {
  if (logged < 0) logged = open(getenv("DISK_RECORD"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  /* In one write each: several processes append to the same log. */
  char *line = malloc(PATH_MAX + 64 + count);
  int head = sprintf(line, "%s %lld %zu %s\n", what, (long long)at, count, name);
  if (count) memcpy(line + head, bytes, count);
  real_write(logged, line, (size_t)head + count);
  free(line);
}

#define RECORDED(call, ...)                        \
  char buffer[PATH_MAX];                           \
  const char *name = inside(fd, buffer);           \
  if (!name) return call;                          \
  pthread_mutex_lock(&lock);                       \
  ssize_t done = call;                             \
  int error = errno;                               \
  if (done >= 0) note(__VA_ARGS__);                \
  pthread_mutex_unlock(&lock);                     \
  errno = error;                                   \
  return done;

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = next("pwrite64");
  RECORDED(real(fd, bytes, count, at), "write", name, at, (size_t)done, bytes)
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

ssize_t write(int fd, const void *bytes, size_t count) {
  char buffer[PATH_MAX];
  const char *name = inside(fd, buffer);
  if (!name) return real_write(fd, bytes, count);
  pthread_mutex_lock(&lock);
  off_t at = fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
  ssize_t done = real_write(fd, bytes, count);
  int error = errno;
  if (done >= 0) note("write", name, at, (size_t)done, bytes);
  pthread_mutex_unlock(&lock);
  errno = error;
  return done;
}

int ftruncate64(int fd, off64_t length) {
  static int (*real)(int, off64_t);
  if (!real) real = next("ftruncate64");
  RECORDED(real(fd, length), "truncate", name, length, 0, NULL)
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = next("fsync");
  slow();
  RECORDED(real(fd), "sync", name, 0, 0, NULL)
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = next("fdatasync");
  slow();
  RECORDED(real(fd), "sync", name, 0, 0, NULL)
}

int unlink(const char *path) {
  static int (*real)(const char *);
  if (!real) real = next("unlink");
  const char *name = named(path);
  int done = real(path);
  int error = errno;
  if (name && done == 0) note("remove", name, 0, 0, NULL);
  errno = error;
  return done;
}

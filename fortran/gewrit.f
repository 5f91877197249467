C     Messages of the library on a Fortran unit.
C
C     The library looks for this subroutine when it has something to
C     say on the unit IOPT(2), and if the program contains it, a unit
C     that the program has opened is written to.  TEXT(1:LEN) holds
C     lines that end with a newline character.
C
C     Link it as an object file, or from libgeomsf.a with
C     -Wl,-u,gewrit_ (nothing else asks the linker for it).
C
      SUBROUTINE GEWRIT(LUN,TEXT,LEN)
      IMPLICIT NONE
      INTEGER       LUN,LEN
      CHARACTER*(*) TEXT
      INTEGER       I,FIRST,IOS
      FIRST=1
      DO 10 I=1,LEN
        IF (TEXT(I:I).EQ.CHAR(10)) THEN
C         IOSTAT: a unit that cannot be written must not end the run.
          WRITE(LUN,'(A)',IOSTAT=IOS) TEXT(FIRST:I-1)
          FIRST=I+1
        END IF
   10 CONTINUE
      IF (FIRST.LE.LEN) WRITE(LUN,'(A)',IOSTAT=IOS) TEXT(FIRST:LEN)
      RETURN
      END

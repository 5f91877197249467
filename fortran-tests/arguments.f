C     Every argument of every subroutine is checked, on a linear system
C     in which all kinds of variables and constraints occur and all
C     dimensions differ:
C
C     NP=7 NV=6 NR=5 NW=4 NS=3 NL=2 NM=1 NI=1
C     X = [ w1-w4 l1 l2 m1 | r1-r5 | v1-v6 | s1-s3 p1-p7 ]
C
C     p_i'= v_i (i=1..6), p7'= v1+v2, r_i' = -i*r_i, v6 = 1
C     g1 = p1-p2, g2 = p3-s1, h = v5-2*v4, s1 = p4
C
C     The initial multipliers, w and s are wrong and are corrected by
C     the library with the conditions of IVCOND.
C
      PROGRAM ARGUM
      IMPLICIT NONE
      INTEGER          N,M,NCOND
      PARAMETER        (N=28,M=34,NCOND=13)
      INTEGER          IOPT(40),IWORK(20),IPAR(3),IERR,IDID,I,L,NFAIL
      DOUBLE PRECISION X(N),T,TEND,H,RTOL(N),ATOL(N),ROPT(40),
     #                 RWORK(5*N),RPAR(2),ERR
      INTEGER          NCALL(5),NBAD(5)
      DOUBLE PRECISION XLAST(28),TLAST
      COMMON /CHECKS/  XLAST,TLAST,NCALL,NBAD
      CHARACTER*6      NAME(5)
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT
      DATA NAME /'IVCOND','EOM   ','MAS   ','JAC   ','SOLOUT'/
C
      NFAIL=0
      DO 50 L=0,1
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
C       Not read by the library, but handed through.
        IOPT(30)=1234
        IPAR(1)=4711
        IPAR(2)=0
        IPAR(3)=-1
        RPAR(1)=3.25D0
        RPAR(2)=0.D0
        DO 20 I=1,N
          RTOL(I)=1.D-8
          ATOL(I)=1.D-8
          X(I)=0.D0
   20   CONTINUE
        DO 25 I=8,12
          X(I)=1.D0
   25   CONTINUE
        X(13)=0.3D0
        X(14)=0.3D0
        X(15)=0.1D0
        X(16)=0.1D0
        X(17)=0.2D0
        X(18)=1.D0
        X(22)=1.D0
        X(23)=1.D0
        X(24)=0.5D0
        X(25)=0.5D0
        X(26)=0.2D0
        DO 30 I=1,5
          NCALL(I)=0
          NBAD(I)=0
   30   CONTINUE
        T=0.D0
        TEND=1.D0
        H=1.D-3
C       A positive IERR is nobody's business and must stay.
        IERR=5
        IDID=0
        CALL GEOMS(
     #    7,6,5,4,3,2,1,1,M,N,NCOND,
     #    X,T,TEND,H,RTOL,ATOL,1,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,L,
     #    SOLOUT,1,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        WRITE(6,100) L,IDID,T,IERR
        DO 40 I=1,5
          IF (I.EQ.4.AND.L.EQ.0) THEN
            IF (NCALL(I).EQ.0) WRITE(6,110) NAME(I),'not called OK'
            IF (NCALL(I).GT.0) THEN
              WRITE(6,110) NAME(I),'called FAIL'
              NFAIL=NFAIL+1
            END IF
          ELSE IF (NCALL(I).EQ.0) THEN
            WRITE(6,110) NAME(I),'not called FAIL'
            NFAIL=NFAIL+1
          ELSE IF (NBAD(I).GT.0) THEN
            WRITE(6,120) NAME(I),NBAD(I)
            NFAIL=NFAIL+1
          ELSE
            WRITE(6,110) NAME(I),'all arguments OK'
          END IF
   40   CONTINUE
        ERR=ABS(X(27)-1.D0)
        DO 45 I=1,5
          ERR=MAX(ERR,ABS(X(7+I)-EXP(-DBLE(I))))
   45   CONTINUE
        WRITE(6,130) (X(I),I=1,N)
        IF (ERR.LE.1.D-7) THEN
          WRITE(6,110) 'error ','OK'
        ELSE
          WRITE(6,110) 'error ','FAIL'
          NFAIL=NFAIL+1
        END IF
        IF (IDID.NE.0) NFAIL=NFAIL+1
   50 CONTINUE
      WRITE(6,140) NFAIL
      IF (NFAIL.GT.0) STOP 1
  100 FORMAT(' IJAC=',I1,' IDID=',I6,' T=',F6.3,' IERR=',I2)
  110 FORMAT('   ',A6,' : ',A)
  120 FORMAT('   ',A6,' : FAIL, calls with wrong arguments:',I6)
  130 FORMAT(4(1X,F13.7))
  140 FORMAT(' failures:',I3)
      END
C
C     Count a call of subroutine K and whether it was as it should be.
      SUBROUTINE COUNT(K,GOOD,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          K,IPAR(*),IERR
      DOUBLE PRECISION RPAR(*)
      LOGICAL          GOOD
      INTEGER          NCALL(5),NBAD(5)
      DOUBLE PRECISION XLAST(28),TLAST
      COMMON /CHECKS/  XLAST,TLAST,NCALL,NBAD
      NCALL(K)=NCALL(K)+1
      IF (.NOT.GOOD.OR.IPAR(1).NE.4711.OR.RPAR(1).NE.3.25D0
     #    .OR.IERR.NE.5) NBAD(K)=NBAD(K)+1
C     State kept in IPAR and RPAR has to come back: both count calls.
      IF (IPAR(2).NE.NINT(RPAR(2))) NBAD(K)=NBAD(K)+1
      IPAR(2)=IPAR(2)+1
      RPAR(2)=RPAR(2)+1.D0
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(NCOND),RPAR(*)
      INTEGER          I
      CALL COUNT(1,N.EQ.28.AND.NCOND.EQ.13.AND.T.EQ.0.D0,
     #           IPAR,RPAR,IERR)
      DO 10 I=1,5
        COND(I)=X(7+I)-1.D0
   10 CONTINUE
      COND(6)=X(13)-0.3D0
      COND(7)=X(15)-0.1D0
      COND(8)=X(18)-1.D0
      COND(9)=X(22)-1.D0
      COND(10)=X(24)-0.5D0
      COND(11)=X(26)-0.2D0
      COND(12)=X(27)
      COND(13)=X(28)
      RETURN
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR,I
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(6)
      CALL COUNT(2,M.EQ.34.AND.N.EQ.28.AND.T.GE.0.D0
     #           .AND.T.LE.1.0001D0.AND.IOPT(30).EQ.1234
     #           .AND.ROPT(40).EQ.0.D0,IPAR,RPAR,IERR)
      F(1)=-X(22)+X(8)-X(5)
      F(2)=-2.D0*X(23)+X(5)
      F(3)=-X(24)-X(6)
      F(4)=-X(1)+X(6)+2.D0*X(7)
      F(5)=-X(26)-X(7)
      F(6)=0.D0
C     d | gII | hI
      RDA(1)=X(1)-X(25)
      RDA(2)=X(2)-X(13)
      RDA(3)=X(3)-X(8)-X(9)
      RDA(4)=X(4)-X(20)-X(5)
      RDA(5)=F(1)-F(2)
      RDA(6)=F(3)-F(4)
      RDA(7)=F(5)-2.D0*F(4)
C     gI | h | e
      RDA(8)=X(13)-X(14)
      RDA(9)=X(15)-X(16)
      RDA(10)=X(17)-2.D0*X(16)
      RDA(11)=X(18)-1.D0
C     c | g
      RDA(12)=X(19)-X(25)
      RDA(13)=X(20)-2.D0*X(26)
      RDA(14)=X(21)-X(27)-X(28)
      RDA(15)=X(22)-X(23)
      RDA(16)=X(24)-X(19)
C     b | f_dyn | f_kin
      DO 10 I=1,5
        RDA(16+I)=-I*X(7+I)
   10 CONTINUE
      DO 20 I=1,6
        RDA(21+I)=F(I)
        RDA(27+I)=X(12+I)
   20 CONTINUE
      RDA(34)=X(13)+X(14)
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR,I,J
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      CALL COUNT(3,NX.EQ.28.AND.M.EQ.6.AND.N.EQ.6.AND.T.GE.0.D0
     #           .AND.T.LE.1.0001D0.AND.IOPT(30).EQ.1234
     #           .AND.ROPT(40).EQ.0.D0,IPAR,RPAR,IERR)
      DO 20 J=1,N
        DO 10 I=1,M
          MA(I,J)=0.D0
   10   CONTINUE
        MA(J,J)=1.D0
   20 CONTINUE
      RETURN
      END
C
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      INTEGER          I
      CALL COUNT(4,M1.EQ.7.AND.M2.EQ.4.AND.M3.EQ.5.AND.M4.EQ.5
     #           .AND.M5.EQ.6.AND.M6.EQ.7.AND.N1.EQ.7.AND.N2.EQ.5
     #           .AND.N3.EQ.6.AND.N4.EQ.10.AND.M.EQ.34.AND.N.EQ.28
     #           .AND.T.GE.0.D0.AND.T.LE.1.0001D0
     #           .AND.IOPT(30).EQ.1234.AND.ROPT(40).EQ.0.D0,
     #           IPAR,RPAR,IERR)
      CALL CLEAR(M1*N,FX1)
      CALL CLEAR(M2*(N3+N4),FX2)
      CALL CLEAR(M3*N4,FX3)
      CALL CLEAR(M4*N,FX4)
      CALL CLEAR(M5*N,FX5)
      CALL CLEAR(M6*(N3+N4),FX6)
C     d
      DO 10 I=1,4
        FX1(I,I)=-1.D0
   10 CONTINUE
      FX1(1,25)=1.D0
      FX1(2,13)=1.D0
      FX1(3,8)=1.D0
      FX1(3,9)=1.D0
      FX1(4,20)=1.D0
      FX1(4,5)=1.D0
C     gII
      FX1(5,22)=1.D0
      FX1(5,8)=-1.D0
      FX1(5,5)=2.D0
      FX1(5,23)=-2.D0
      FX1(6,24)=1.D0
      FX1(6,6)=2.D0
      FX1(6,1)=-1.D0
      FX1(6,7)=2.D0
C     hI
      FX1(7,26)=1.D0
      FX1(7,7)=5.D0
      FX1(7,1)=-2.D0
      FX1(7,6)=2.D0
C     gI, h, e: columns v1-v6, s1-s3, p1-p7
      FX2(1,1)=-1.D0
      FX2(1,2)=1.D0
      FX2(2,3)=-1.D0
      FX2(2,4)=1.D0
      FX2(3,5)=-1.D0
      FX2(3,4)=2.D0
      FX2(4,6)=-1.D0
C     c, g: columns s1-s3, p1-p7
      DO 20 I=1,3
        FX3(I,I)=-1.D0
   20 CONTINUE
      FX3(1,7)=1.D0
      FX3(2,8)=2.D0
      FX3(3,9)=1.D0
      FX3(3,10)=1.D0
      FX3(4,4)=-1.D0
      FX3(4,5)=1.D0
      FX3(5,6)=-1.D0
      FX3(5,1)=1.D0
C     b
      DO 30 I=1,5
        FX4(I,7+I)=I
   30 CONTINUE
C     f_dyn
      FX5(1,22)=1.D0
      FX5(1,8)=-1.D0
      FX5(1,5)=1.D0
      FX5(2,23)=2.D0
      FX5(2,5)=-1.D0
      FX5(3,24)=1.D0
      FX5(3,6)=1.D0
      FX5(4,1)=1.D0
      FX5(4,6)=-1.D0
      FX5(4,7)=-2.D0
      FX5(5,26)=1.D0
      FX5(5,7)=1.D0
C     f_kin
      DO 40 I=1,6
        FX6(I,I)=-1.D0
   40 CONTINUE
      FX6(7,1)=-1.D0
      FX6(7,2)=-1.D0
      RETURN
      END
C
      SUBROUTINE CLEAR(LENGTH,A)
      IMPLICIT NONE
      INTEGER          LENGTH,I
      DOUBLE PRECISION A(*)
      DO 10 I=1,LENGTH
        A(I)=0.D0
   10 CONTINUE
      RETURN
      END
C
C     The polynomial has to join the last two points.
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR,I
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      DOUBLE PRECISION GEDENSOUT,A,B
      EXTERNAL         GEDENSOUT
      LOGICAL          GOOD
      INTEGER          NCALL(5),NBAD(5)
      DOUBLE PRECISION XLAST(28),TLAST
      COMMON /CHECKS/  XLAST,TLAST,NCALL,NBAD
      GOOD=N.EQ.28.AND.NN2.EQ.56.AND.NN3.EQ.84.AND.NN4.EQ.112
     #     .AND.NACCPT.EQ.IPAR(3)+1.AND.H.NE.0.D0
     #     .AND.ABS(C1M1-((4.D0-SQRT(6.D0))/10.D0-1.D0)).LT.1.D-15
     #     .AND.ABS(C2M1-((4.D0+SQRT(6.D0))/10.D0-1.D0)).LT.1.D-15
      IPAR(3)=NACCPT
      IF (NACCPT.EQ.0) THEN
        GOOD=GOOD.AND.T.EQ.0.D0.AND.TOLD.EQ.T
      ELSE
        GOOD=GOOD.AND.TOLD.EQ.TLAST.AND.ABS(T-TOLD-H).LT.1.D-12
      END IF
      DO 10 I=1,N
        A=GEDENSOUT(I,TOLD,N,NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)
        B=GEDENSOUT(I,T,N,NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)
        GOOD=GOOD.AND.B.EQ.X(I)
        IF (NACCPT.GT.0) GOOD=GOOD.AND.ABS(A-XLAST(I)).LT.1.D-9
        XLAST(I)=X(I)
   10 CONTINUE
      TLAST=T
      CALL COUNT(5,GOOD,IPAR,RPAR,IERR)
      RETURN
      END
